(* Written by cltheory. Signs of real expressions: what proofs of thresholds rest on. *)
From Coq Require Import Reals Ranalysis5 Lra.
From Coquelicot Require Import Coquelicot.
Require Import cltheory_loss.
Open Scope R_scope.

Lemma pos_eq a b : a = b -> 0 < b -> 0 < a. Proof. intros ->; exact (fun h => h). Qed.
Lemma nneg_eq a b : a = b -> 0 <= b -> 0 <= a. Proof. intros ->; exact (fun h => h). Qed.
Lemma same_sign k a b : a = k * b -> 0 < k -> (0 < a <-> 0 < b).
Proof. intros -> K; split; nra. Qed.
Lemma same_sign_or_zero k a b : a = k * b -> 0 < k -> (0 <= a <-> 0 <= b).
Proof. intros -> K; split; nra. Qed.
Lemma same_zero k a b c : a - b = k * c -> c = 0 -> a = b. Proof. intros e z; rewrite z in e; lra. Qed.

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
Proof. intros h k; exists ((x - a) / (b - x)); split; [apply Rdiv_le_0_compat; lra | field; lra]. Qed.
Lemma inside a b x : a < x -> x < b -> exists u, 0 < u /\ x = (a + b * u) / (1 + u).
Proof. intros h k; exists ((x - a) / (b - x)); split; [apply Rdiv_lt_0_compat; lra | field; lra]. Qed.
Lemma or_end b x : x <= b -> x < b \/ x = b. Proof. lra. Qed.

Lemma exp_above_1 x : 0 < x -> 1 < exp x.
Proof. intro h; rewrite <- exp_0; apply exp_increasing; exact h. Qed.
Lemma exp_below_1 x : 0 < - x -> exp x < 1.
Proof. intro h; rewrite <- exp_0; apply exp_increasing; lra. Qed.

(* The sign of a term with a square root, by its square. *)
Lemma root_wins b a s : 0 <= s -> 0 < b -> 0 < b ^ 2 * (s * s) - a ^ 2 -> 0 < a + b * s.
Proof. intros S B G. assert (P := Rmult_le_pos b s ltac:(lra) S). apply Rnot_le_lt; intro h. nra. Qed.
Lemma root_loses b a s : 0 <= s -> 0 < a -> 0 < a ^ 2 - b ^ 2 * (s * s) -> 0 < a + b * s.
Proof. intros S A G. apply Rnot_le_lt; intro h. nra. Qed.

Lemma from_1 a b : 0 < b -> b <= a -> 0 <= a / b - 1.
Proof. intros B h. replace (a / b - 1) with ((a - b) / b) by (field; lra). apply Rdiv_le_0_compat; lra. Qed.
(* Sums, products, quotients and powers of positive terms; of a sum the last term is > 0. *)
Ltac nneg := first [assumption | match goal with
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nneg
  | |- 0 <= _ * _ => apply Rmult_le_pos; nneg
  | |- 0 <= _ / _ => apply Rdiv_le_0_compat; [nneg | pos]
  | |- 0 <= _ ^ _ => apply pow_le; nneg
  | |- 0 <= _ / _ - 1 => apply from_1; lra
  | |- 0 <= exp _ => left; apply exp_pos
  | |- _ => lra
  end]
with pos := first [assumption | match goal with
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < _ + _ => first [apply Rplus_le_lt_0_compat; [nneg | pos] | apply Rplus_lt_le_0_compat; [pos | nneg]]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; pos
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; pos
  | |- 0 < _ ^ _ => apply pow_lt; pos
  | |- 0 < / _ => apply Rinv_0_lt_compat; pos
  | |- _ => lra
  end].
(* Denominators, whose factors have a sign that is known, perhaps in another form. *)
Ltac nz1 := first [lra | apply Rgt_not_eq; red; pos | apply Rgt_not_eq; red; ring_simplify; pos
  | apply Rlt_not_eq, Ropp_lt_cancel; rewrite Ropp_0; ring_simplify; pos | nra].
Ltac nz := repeat match goal with |- _ /\ _ => split end; nz1.
Ltac eq := first [ring | field; nz | match goal with H : ?s * ?s = _ |- _ => field [H]; nz end].
Ltac exp_eq := first [rewrite <- ?exp_Ropp, <- ?exp_plus; f_equal; field; nz | unfold Rdiv; rewrite Rmult_0_l, exp_0; reflexivity].

(* Thresholds with a logarithm: x is beyond v where p exp w is above q. *)
Definition changes_sign (x v y : R) : Prop :=
  (0 < x - v <-> 0 < y) /\ (0 <= x - v <-> 0 <= y) /\ (0 < v - x <-> 0 < - y) /\ (0 <= v - x <-> 0 <= - y).
Lemma ln_above r : 0 < r - 1 -> 0 < ln r.
Proof. intro h. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma beyond k p q w x v : 0 < k -> 0 < p -> 0 < q -> x - v = k * (w + (ln p - ln q)) -> changes_sign x v (p * exp w - q).
Proof.
  intros K P Q e. set (g := w + (ln p - ln q)) in *. assert (L := exp_above_1 g). assert (S := exp_below_1 g).
  replace (p * exp w - q) with (q * (exp g - 1))
    by (unfold g, Rminus; rewrite !exp_plus, exp_Ropp, !exp_ln by assumption; field; lra).
  destruct (total_order_T g 0) as [[less | zero] | more]; [| rewrite zero, exp_0 in * |]; repeat split; intro; nra.
Qed.

(* Limits: a function that is continuous at 0, of what becomes small. *)
Lemma by_continuity (F : R -> R) l eps : ex_derive F 0 -> F 0 = l -> 0 < eps -> exists d, 0 < d /\ forall y, 0 <= y < d -> Rabs (F y - l) < eps.
Proof.
  intros D <- e. destruct (proj1 (filterlim_locally F (F 0)) (ex_derive_continuous F 0 D) (mkposreal eps e)) as [d Hd].
  exists d. split; [apply cond_pos|]. intros y h. apply Hd. apply Rabs_def1; unfold minus, plus, opp; simpl; lra.
Qed.
Lemma small_near d : 0 < d -> exists X, 0 < X /\ forall x, 0 < x -> x < X -> 0 <= x < d.
Proof. intro h. exists d. split; [exact h | intros; lra]. Qed.
Lemma small_far d : 0 < d -> exists X, 0 < X /\ forall x, 0 < x -> X < x -> 0 <= / x < d.
Proof.
  intro h. exists (/ d). split; [apply Rinv_0_lt_compat, h|]. intros x p l. split; [left; apply Rinv_0_lt_compat, p|].
  rewrite <- (Rinv_inv d). apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat, h | exact p] | exact l].
Qed.
Lemma exp_far c d : 0 < c -> 0 < d -> exists X, 0 < X /\ forall x, 0 < x -> X < x -> 0 <= 1 - exp (- c / x) < d.
Proof.
  intros C h. destruct (small_far (d / c)) as [X [P N]]; [apply Rdiv_lt_0_compat; assumption|]. exists X. split; [exact P|]. intros x p l.
  destruct (N x p l) as [_ n]. apply (Rmult_lt_compat_l c) in n; [|exact C]. replace (c * (d / c)) with d in n by (field; lra).
  assert (E := exp_ineq1_le (- c / x)). assert (B := exp_below_1 (- c / x)). assert (Q := Rdiv_lt_0_compat _ _ C p). unfold Rdiv in *. lra.
Qed.
Lemma exp_near c d : 0 < c -> 0 < d -> exists X, 0 < X /\ forall x, 0 < x -> x < X -> 0 <= exp (- c / x) < d.
Proof.
  intros C h. exists (c * d). split; [apply Rmult_lt_0_compat; assumption|]. intros x p l. split; [left; apply exp_pos|].
  assert (E := exp_ineq1_le (c / x)). assert (P := Rdiv_lt_0_compat _ _ C p). replace (- c / x) with (- (c / x)) by (field; lra).
  rewrite exp_Ropp. apply Rle_lt_trans with (/ (c / x)); [apply Rinv_le_contravar; lra|].
  replace (/ (c / x)) with (x / c) by (field; lra). apply Rlt_div_l; lra.
Qed.

(* That numbers are in ranges. *)
Ltac in_ranges := repeat split; first [lra | rewrite sqrt_1; lra | unfold Rmax; destruct (Rle_dec _ _); lra].

(* What increases by the sign of its derivative; its rules leave other forms of the same numbers. *)
Lemma der_ext f g x l : (forall t, f t = g t) -> derivable_pt_lim f x l -> derivable_pt_lim g x l.
Proof. intros e D eps He. destruct (D eps He) as [d Hd]. exists d. intros h. rewrite <- !e. apply Hd. Qed.
Ltac divisors := repeat match goal with |- _ /\ _ => split | |- True => exact I end; nz1.
Ltac der := apply is_derive_Reals; auto_derive; [divisors |];
  repeat match goal with
  | |- context [?a * / ?b] => change (a * / b) with (a / b)
  | |- context [?a + - ?b] => change (a + - b) with (a - b)
  end.
Lemma increases_by (D : R -> Prop) f df : (forall x y c, D x -> D y -> x <= c <= y -> D c) ->
  (forall x, D x -> derivable_pt_lim f x (df x)) -> (forall x, D x -> 0 < df x) -> increases D f.
Proof.
  intros C d p x y X Y l. destruct (MVT_cor2 f df x y l) as [c [e [a b]]].
  - intros c h. apply d, (C x y c X Y h).
  - assert (P := p c (C x y c X Y ltac:(lra))). assert (0 < df c * (y - x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Lemma decreases_by (D : R -> Prop) f df : (forall x y c, D x -> D y -> x <= c <= y -> D c) ->
  (forall x, D x -> derivable_pt_lim f x (df x)) -> (forall x, D x -> 0 < - df x) -> decreases D f.
Proof.
  intros C d p x y X Y l. apply Ropp_lt_cancel. apply (increases_by D (fun x => - f x) (fun x => - df x) C); auto.
  intros z Z. apply (derivable_pt_lim_opp f), d, Z.
Qed.

(* A zero between two places at which the signs differ. *)
Lemma zero_between f a b : (forall x, a <= x <= b -> ex_derive f x) -> a <= b -> f a <= 0 -> 0 <= f b -> exists x, a <= x /\ x <= b /\ f x = 0.
Proof.
  intros D l A B. destruct (Rle_lt_or_eq_dec _ _ l) as [less | <-]; [|exists a; lra].
  destruct (f_interv_is_interv f a b 0 less (conj A B)) as [x [h z]]; [|exists x; lra].
  intros x h. apply derivable_continuous_pt, ex_derive_Reals_0, D, h.
Qed.
