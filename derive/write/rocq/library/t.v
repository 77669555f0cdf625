From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Require Import cltheory_signs.
Open Scope R_scope.
Goal forall m n c x, 0 < x -> 0 < n -> is_derive (fun x => (1 - exp (- c / x)) / (n * exp (m * x / (n - 1)) + 1)^2 + x ^ 3 - / x) x 0.
intros. auto_derive. Show.
