; x is positive wherever main is at l1.
(declare-const x Int)
(define-fun start () Bool (! true :at ((main l0))))
(define-fun counting () Bool (! (>= x 1) :at ((main l1))))
