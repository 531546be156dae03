#ifndef HEDDLE_CTYPE_H
#define HEDDLE_CTYPE_H
extern int isalnum(int c);
extern int isalpha(int c);
extern int isdigit(int c);
extern int islower(int c);
extern int isprint(int c);
extern int isspace(int c);
extern int isupper(int c);
extern int tolower(int c);
extern int toupper(int c);
#endif
