#ifndef HEDDLE_STDALIGN_H
#define HEDDLE_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
