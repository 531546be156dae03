// expect: SAFE (infinite state)
//
// The lecture's exercise for model checkers, in C. The counters wrap around, so the loop
// is cut off before they can.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 0, y = 0, z = 0, w = 0;
    while (__VERIFIER_nondet_int() && w < 1000) {
        if (__VERIFIER_nondet_int()) {
            x = x + 1;
            y = y + 100;
        } else if (__VERIFIER_nondet_int()) {
            if (x >= 4) {
                x = x + 1;
                y = y + 1;
            }
        } else if (y > 10 * w && z >= 100 * x) {
            y = -y;
        }
        w = w + 1;
        z = z + 10;
    }
    assert(!(x >= 4 && y <= 2));
    return 0;
}
