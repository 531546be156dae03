#ifndef HEDDLE_STDATOMIC_H
#define HEDDLE_STDATOMIC_H
#include <stddef.h>
#include <stdint.h>
typedef int memory_order;
#define memory_order_relaxed 0
#define memory_order_consume 1
#define memory_order_acquire 2
#define memory_order_release 3
#define memory_order_acq_rel 4
#define memory_order_seq_cst 5
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(int8_t) atomic_int8_t;
typedef _Atomic(uint8_t) atomic_uint8_t;
typedef _Atomic(int16_t) atomic_int16_t;
typedef _Atomic(uint16_t) atomic_uint16_t;
typedef _Atomic(int32_t) atomic_int32_t;
typedef _Atomic(uint32_t) atomic_uint32_t;
typedef _Atomic(int64_t) atomic_int64_t;
typedef _Atomic(uint64_t) atomic_uint64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef struct { _Atomic(_Bool) value; } atomic_flag;
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define kill_dependency(value) (value)
#define atomic_is_lock_free(object) 1
/* The generic functions (atomic_load, atomic_fetch_add, ...) are built in. */
#endif
