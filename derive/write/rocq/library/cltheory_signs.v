(* Written by cltheory. Signs of real expressions: what proofs of thresholds rest on. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Lemma pos_eq a b : a = b -> 0 < b -> 0 < a. Proof. intros ->; exact (fun h => h). Qed.
Lemma nneg_eq a b : a = b -> 0 <= b -> 0 <= a. Proof. intros ->; exact (fun h => h). Qed.
Lemma same_sign k a b : a = k * b -> 0 < k -> (0 < a <-> 0 < b).
Proof.
  intros -> K; split; intro P; [|apply Rmult_lt_0_compat; assumption].
  apply Rmult_lt_reg_l with k; [exact K | rewrite Rmult_0_r; exact P].
Qed.
Lemma same_sign_or_zero k a b : a = k * b -> 0 < k -> (0 <= a <-> 0 <= b).
Proof.
  intros -> K; split; intro P; [|apply Rmult_le_pos; [left|]; assumption].
  apply Rmult_le_reg_l with k; [exact K | rewrite Rmult_0_r; exact P].
Qed.

(* A relation by the sign of the difference of its sides. *)
Lemma gt_gap a b : a > b <-> 0 < a - b. Proof. lra. Qed.
Lemma lt_gap a b : a < b <-> 0 < b - a. Proof. lra. Qed.
Lemma ge_gap a b : a >= b <-> 0 <= a - b. Proof. lra. Qed.
Lemma le_gap a b : a <= b <-> 0 <= b - a. Proof. lra. Qed.
Ltac gap_of := first [apply gt_gap | apply ge_gap | apply lt_gap | apply le_gap].
Ltac gap := match goal with
  | |- _ <-> _ => eapply iff_trans; [gap_of | eapply iff_trans; [| apply iff_sym; gap_of]]
  | |- _ => first [apply <- gt_gap | apply <- ge_gap | apply <- lt_gap | apply <- le_gap]
  end.

(* A variable of a range by one that is >= 0. *)
Lemma from a x : a <= x -> exists u, 0 <= u /\ x = a + u.
Proof. intro h; exists (x - a); lra. Qed.
Lemma above a x : a < x -> exists u, 0 < u /\ x = a + u.
Proof. intro h; exists (x - a); lra. Qed.
Lemma upto b x : x <= b -> exists u, 0 <= u /\ x = b - u.
Proof. intro h; exists (b - x); lra. Qed.
Lemma below b x : x < b -> exists u, 0 < u /\ x = b - u.
Proof. intro h; exists (b - x); lra. Qed.
Lemma line x : (exists u, 0 <= u /\ x = u) \/ (exists u, 0 <= u /\ x = - u).
Proof. destruct (Rle_lt_dec 0 x); [left; exists x | right; exists (- x)]; lra. Qed.
Lemma within a b x : a <= x -> x < b -> exists u, 0 <= u /\ x = (a + b * u) / (1 + u).
Proof.
  intros h k; exists ((x - a) / (b - x)); split; [|field; lra].
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.
Lemma inside a b x : a < x -> x < b -> exists u, 0 < u /\ x = (a + b * u) / (1 + u).
Proof. intros h k; exists ((x - a) / (b - x)); split; [apply Rdiv_lt_0_compat; lra | field; lra]. Qed.
Lemma or_end b x : x <= b -> x < b \/ x = b. Proof. lra. Qed.

Lemma exp_above_1 x : 0 < x -> 1 < exp x.
Proof. intro h; rewrite <- exp_0; apply exp_increasing; exact h. Qed.
Lemma exp_below_1 x : 0 < - x -> exp x < 1.
Proof. intro h; rewrite <- exp_0; apply exp_increasing; lra. Qed.
Lemma over_1 y : 1 < y -> exists k, 0 < k /\ y = 1 + k.
Proof. intro h; exists (y - 1); lra. Qed.
Lemma under_1 y : 0 < y -> y < 1 -> exists k, 0 < k /\ y = 1 / (1 + k).
Proof.
  intros h k; exists (1 / y - 1); split; [|field; lra].
  assert (1 < 1 / y); [|lra]. apply Rmult_lt_reg_r with y; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Sums, products, quotients and powers of positive terms; of a sum the last term is > 0. *)
Ltac nneg := first [assumption | match goal with
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nneg
  | |- 0 <= _ * _ => apply Rmult_le_pos; nneg
  | |- 0 <= _ / _ => apply Rmult_le_pos; [nneg | left; apply Rinv_0_lt_compat; pos]
  | |- 0 <= _ ^ _ => apply pow_le; nneg
  | |- _ => lra
  end]
with pos := first [assumption | match goal with
  | |- 0 < _ + _ => first [apply Rplus_le_lt_0_compat; [nneg | pos] | apply Rplus_lt_le_0_compat; [pos | nneg]]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; pos
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; pos
  | |- 0 < _ ^ _ => apply pow_lt; pos
  | |- _ => lra
  end].
(* Denominators, whose factors have a sign that is known, perhaps in another form. *)
Ltac nz1 := first [lra | apply Rgt_not_eq; red; pos | apply Rgt_not_eq; red; ring_simplify; pos
  | apply Rlt_not_eq, Ropp_lt_cancel; rewrite Ropp_0; ring_simplify; pos | nra].
Ltac nz := repeat match goal with |- _ /\ _ => split end; nz1.
Ltac eq := first [ring | field; nz].
Ltac exp_eq := rewrite <- ?exp_Ropp, <- ?exp_plus; f_equal; field; nz.
