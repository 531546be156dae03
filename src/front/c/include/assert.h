/* No include guard: NDEBUG may differ between two inclusions. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
extern void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);
