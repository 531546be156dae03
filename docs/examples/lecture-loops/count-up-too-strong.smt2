; Not an invariant: x is 1 when main comes to l1.
(declare-const x Int)
(define-fun start () Bool (! true :at ((main l0))))
(define-fun counting () Bool (! (>= x 2) :at ((main l1))))
