/* The functions of string.h, strings.h, stdlib.h, ctype.h and errno.h that programs use without defining them. */
typedef __SIZE_TYPE__ __heddle_size;
extern void *malloc(__heddle_size size);
extern _Thread_local int errno;

__heddle_size strlen(const char *text)
{
  __heddle_size length = 0;
  while (text[length]) length++;
  return length;
}

__heddle_size strnlen(const char *text, __heddle_size most)
{
  __heddle_size length = 0;
  while (length < most && text[length]) length++;
  return length;
}

char *strcpy(char *to, const char *from)
{
  __heddle_size i = 0;
  while ((to[i] = from[i])) i++;
  return to;
}

char *strncpy(char *to, const char *from, __heddle_size size)
{
  __heddle_size i = 0;
  while (i < size && from[i]) { to[i] = from[i]; i++; }
  while (i < size) { to[i] = 0; i++; }
  return to;
}

char *strcat(char *to, const char *from)
{
  __heddle_size end = 0, i = 0;
  while (to[end]) end++;
  while ((to[end + i] = from[i])) i++;
  return to;
}

char *strncat(char *to, const char *from, __heddle_size size)
{
  __heddle_size end = 0, i = 0;
  while (to[end]) end++;
  while (i < size && from[i]) { to[end + i] = from[i]; i++; }
  to[end + i] = 0;
  return to;
}

int strcmp(const char *a, const char *b)
{
  while (*a && *a == *b) { a++; b++; }
  return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

int strncmp(const char *a, const char *b, __heddle_size size)
{
  while (size && *a && *a == *b) { a++; b++; size--; }
  if (!size) return 0;
  return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

char *strchr(const char *text, int character)
{
  while (*text && *text != (char)character) text++;
  return *text == (char)character ? (char *)text : (char *)0;
}

char *strrchr(const char *text, int character)
{
  const char *last = 0;
  while (1) {
    if (*text == (char)character) last = text;
    if (!*text) return (char *)last;
    text++;
  }
}

__heddle_size strspn(const char *text, const char *accepted)
{
  __heddle_size length = 0;
  while (text[length] && strchr(accepted, text[length])) length++;
  return length;
}

__heddle_size strcspn(const char *text, const char *rejected)
{
  __heddle_size length = 0;
  while (text[length] && !strchr(rejected, text[length])) length++;
  return length;
}

char *strpbrk(const char *text, const char *accepted)
{
  while (*text && !strchr(accepted, *text)) text++;
  return *text ? (char *)text : (char *)0;
}

char *strstr(const char *text, const char *part)
{
  while (1) {
    __heddle_size i = 0;
    while (part[i] && text[i] == part[i]) i++;
    if (!part[i]) return (char *)text;
    if (!*text) return 0;
    text++;
  }
}

char *strdup(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : copy;
}

int memcmp(const void *a, const void *b, __heddle_size size)
{
  const unsigned char *x = a, *y = b;
  for (__heddle_size i = 0; i < size; i++)
    if (x[i] != y[i]) return (int)x[i] - (int)y[i];
  return 0;
}

void *memchr(const void *where, int value, __heddle_size size)
{
  const unsigned char *x = where;
  for (__heddle_size i = 0; i < size; i++)
    if (x[i] == (unsigned char)value) return (void *)(x + i);
  return 0;
}

void bzero(void *to, __heddle_size size)
{
  unsigned char *x = to;
  for (__heddle_size i = 0; i < size; i++) x[i] = 0;
}

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
long long llabs(long long value) { return value < 0 ? -value : value; }

int ffs(int value) { return __builtin_ffs(value); }
int ffsl(long value) { return __builtin_ffsl(value); }
int ffsll(long long value) { return __builtin_ffsll(value); }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isprint(int c) { return c >= ' ' && c <= '~'; }
int toupper(int c) { return islower(c) ? c - 'a' + 'A' : c; }
int tolower(int c) { return isupper(c) ? c - 'A' + 'a' : c; }

int *__errno_location(void) { return &errno; }
