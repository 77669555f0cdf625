(* Written by cltheory. All classes but the first share one vector, opposite to that of the first: when
   that is optimal, for any number of classes of any sizes. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_signs cltheory_gram cltheory_optimal cltheory_convex cltheory_kinds.
Import ListNotations.
Open Scope R_scope.

Lemma sum_first m f : sum (S m) f = f O + sum m (fun k => f (S k)).
Proof. induction m as [|m IH]; [simpl; ring|]. change (sum (S (S m)) f) with (sum (S m) f + f (S m)). rewrite IH. simpl. ring. Qed.
Lemma sum_sizes s : sum (length s) (fun k => INR (nth k s O)) = INR (list_sum s).
Proof. induction s as [|N s IH]; [reflexivity|]. simpl length. rewrite sum_first. simpl nth. rewrite IH. simpl list_sum. rewrite plus_INR. ring. Qed.
Lemma card_one x : card [x] = x. Proof. unfold card; simpl; ring. Qed.
(* What presses the others together, less what keeps them apart, of l points and r others. *)
Definition force_of (l r tau : R) : R := (exp (- 1 / tau) / ((l - 1) * exp (1 / tau) + r * exp (- 1 / tau)) + exp (- 1 / tau) / ((r - 1) * exp (1 / tau) + l * exp (- 1 / tau))) / 2.
Definition apart_of (l r tau : R) : R := exp (1 / tau) / ((r - 1) * exp (1 / tau) + l * exp (- 1 / tau)).
Definition other (k : nat) : R := match k with O => 0 | S _ => 1 end.
Lemma rest_four l rest : (forall s, In s (l :: rest) -> (2 <= s)%nat) -> (2 <= length rest)%nat -> 4 <= INR (list_sum rest).
Proof.
  intros two many. destruct rest as [|s [|s' q]]; [simpl in many; lia.. |]. assert (A := two s ltac:(simpl; auto)). assert (B := two s' ltac:(simpl; auto)).
  replace 4 with (INR 4) by (simpl; ring). apply le_INR. simpl. lia.
Qed.

Section Merging.
Variables (l : nat) (rest : list nat) (tau : R) (t : member_term) (h : relation -> R).
Notation sizes := (l :: rest).
Notation kinds := (map (fun s => [s]) sizes).
Notation Rs := (map (map INR) kinds).
Notation n := (length sizes).
Notation sz i := (INR (nth i sizes O)).
Notation L := (INR l).
Notation r := (INR (list_sum rest)).
Hypothesis two : forall s, In s sizes -> (2 <= s)%nat.
Hypothesis many : (2 <= length rest)%nat.
Hypothesis tau_pos : 0 < tau.
Hypothesis weighs : its_weight t = 1.
Hypothesis denominators : forall q, 0 <= its_denominator t q.
Hypothesis denominator_of : forall i j, its_denominator t (i, i, [true]) = 0 /\ its_denominator t (i, i, [false]) = 1 /\ its_denominator t (i, j, []) = 1.
Hypothesis positives_of : forall i j, its_positives t (i, i, [true]) = 0 /\ its_positives t (i, i, [false]) = / (sz i - 1) /\ its_positives t (i, j, []) = 0.
Hypothesis inner_of : forall i j a, h (i, j, a) = match i, j with O, O | S _, S _ => 1 | _, _ => -1 end.
Notation e1 := (exp (1 / tau)).
Notation e2 := (exp (- 1 / tau)).
Definition near_part (i : nat) : R := match i with O => (L - 1) * e1 + r * e2 | S _ => (r - 1) * e1 + L * e2 end.

Lemma sz_two i : (i < n)%nat -> 2 <= sz i.
Proof. intro Hi. assert (H := two _ (nth_In sizes O Hi)). apply le_INR in H. exact H. Qed.
Lemma L_two : 2 <= L. Proof. exact (sz_two O ltac:(simpl; lia)). Qed.
Lemma r_two : 2 <= r. Proof. assert (H := rest_four l rest two many). lra. Qed.
Lemma affine a b : sum n (fun i => sz i * (a + b * other i)) = a * (L + r) + b * r.
Proof.
  cbn [length]. rewrite sum_first. cbn [nth]. rewrite (sum_ext _ _ (fun k => (a + b) * INR (nth k rest O))) by (intros; cbn [other nth]; ring).
  rewrite sum_scal, sum_sizes. cbn [other]. ring.
Qed.
Lemma kind_at i : (i < n)%nat -> nth i Rs [] = [sz i].
Proof. intro Hi. rewrite at_kind, (nth_indep kinds [] [O]), (map_nth (fun s => [s])) by (rewrite map_length; exact Hi). reflexivity. Qed.
Lemma count : length Rs = n. Proof. rewrite !map_length. reflexivity. Qed.
Lemma sum_of_sizes g : sum_of Rs g = sum n (fun i => sz i * g i).
Proof. unfold sum_of. rewrite count. apply sum_ext; intros i Hi. rewrite kind_at, card_one by exact Hi. reflexivity. Qed.
Lemma row_at F i a b : (i < n)%nat -> (forall j, F (i, j, []) = a + b * other j) ->
  row_of Rs i F = a * (L + r) + b * r + F (i, i, [true]) + (sz i - 1) * F (i, i, [false]) - sz i * (a + b * other i).
Proof.
  intros Hi E. unfold row_of. rewrite count.
  rewrite (sum_ext n _ (fun j => (if Nat.eqb i j then (fun j => F (i, i, [true]) + (sz i - 1) * F (i, i, [false]) - sz i * (a + b * other i)) j else 0) + sz j * (a + b * other j))).
  - rewrite sum_plus, sum_pick, affine by exact Hi. ring.
  - intros j Hj. rewrite kind_at by exact Hj. destruct (Nat.eqb_spec i j) as [<-|ne]; [cbn [row]; cbv beta; ring|].
    rewrite E, card_one. ring.
Qed.
Lemma part_at_kind i : (i < n)%nat -> part_of_kind Rs tau h t i = near_part i.
Proof.
  intro Hi. unfold part_of_kind.
  rewrite (row_at _ i (match i with O => e1 | _ => e2 end) (match i with O => e2 - e1 | _ => e1 - e2 end)).
  - destruct (denominator_of i i) as [-> [-> _]]. rewrite !inner_of. unfold near_part. destruct i; cbn [other nth]; ring.
  - exact Hi.
  - intro j. destruct (denominator_of i j) as [_ [_ ->]]. rewrite inner_of. destruct i, j; cbn [other]; ring.
Qed.
Notation Z0 := ((L - 1) * e1 + r * e2).
Notation Z1 := ((r - 1) * e1 + L * e2).
Notation force := (force_of L r tau).
Notation apart := (apart_of L r tau).
Hypothesis together : 0 <= L * force - r * apart.
Notation A := (pull Rs tau [t] h).

Lemma parts : 0 < e1 /\ 0 < e2 /\ 0 < Z0 /\ 0 < Z1.
Proof.
  assert (P := exp_pos (1 / tau)). assert (Q := exp_pos (- 1 / tau)). assert (H := L_two). assert (K := r_two).
  repeat split; try assumption; nra.
Qed.
Lemma pull_at i : (i < n)%nat ->
  A (i, i, [true]) = 0 /\ A (i, i, [false]) = e1 / near_part i - / (sz i - 1) /\
  forall j, A (i, j, []) = match i with O => e1 / Z0 + (e2 / Z0 - e1 / Z0) * other j | S _ => e2 / Z1 + (e1 / Z1 - e2 / Z1) * other j end.
Proof.
  intro Hi. assert (P := parts). unfold pull. cbn [over fst]. rewrite weighs, part_at_kind by exact Hi.
  destruct (denominator_of i i) as [-> [-> _]], (positives_of i i) as [-> [-> _]]. rewrite !inner_of.
  unfold Rdiv. repeat split; [ring | destruct i; ring |]. intro j.
  destruct (denominator_of i j) as [_ [_ ->]], (positives_of i j) as [_ [_ ->]].
  rewrite inner_of. unfold near_part, Rdiv. destruct i, j; cbn [other]; ring.
Qed.
Definition its_multiplier (i : nat) : R := match i with O => (L - 1) * (e1 / Z0) - 1 - r * force | S _ => (r - 1) * apart - 1 - L * force end.
Definition of_means (i : nat) : R := match i with O => r * force / L | S _ => apart + (L * force - r * apart) / sz i end.
Lemma force_pos : 0 < force.
Proof. destruct parts as [P [Q [P0 P1]]]. unfold force_of. assert (H := Rdiv_lt_0_compat _ _ Q P0). assert (K := Rdiv_lt_0_compat _ _ Q P1). lra. Qed.
Lemma own_at i : (i < n)%nat -> multipliers (nth i Rs []) (fun a => A (i, i, a) - of_means i) (its_multiplier i).
Proof.
  intro Hi. rewrite kind_at by exact Hi. destruct (pull_at i Hi) as [T [F _]]. assert (S2 := sz_two i Hi). assert (L2 := L_two). assert (R2 := r_two).
  destruct parts as [P [Q [P0 P1]]]. assert (f := force_pos). assert (K := together). cbn [multipliers split_off]. rewrite T, F.
  set (s := sz i) in *. assert (inv : 0 < / (s - 1)) by (apply Rinv_0_lt_compat; lra).
  unfold its_multiplier, of_means, near_part. destruct i as [|i].
  - change s with L in *. assert (B : e1 / Z0 <= / (L - 1)).
    { apply Rmult_le_reg_l with (Z0 * (L - 1)); [apply Rmult_lt_0_compat; lra|]. field_simplify; [|lra|lra]. nra. }
    assert (B' := B). apply (Rmult_le_compat_l (L - 1)) in B'; [|lra]. rewrite Rinv_r in B' by lra. set (q := e1 / Z0) in *.
    split; [right; field; lra | intros _]. nra.
  - fold (apart_of L r tau). fold s. split; [right; field; lra | intros _]. nra.
Qed.
Lemma means_above S : 0 <= quadratic n (means A of_means) S.
Proof.
  destruct parts as [P [Q [P0 P1]]]. assert (f := force_pos). assert (L2 := L_two). assert (R2 := r_two). assert (K := together).
  set (g := fun i => (r + (L - r) * other i) * S i). set (m := fun i => other i * S i). set (Y := L * force - r * apart) in *.
  assert (E : quadratic n (means A of_means) S = force / (r * L) * (sum n g * sum n g) + Y * (sum n (fun i => other i * (S i * S i / sz i)) - sum n m * sum n m / r)).
  { unfold quadratic. rewrite (sum_ext n _ (fun i => (force / (r * L) * sum n g) * g i + (Y * (other i * (S i * S i / sz i)) + (- Y / r * sum n m) * m i))).
    - rewrite !sum_plus, !sum_scal. unfold Rdiv. ring.
    - intros i Hi. rewrite (sum_ext n _ (fun j => (force / (r * L) * g i) * g j + ((if Nat.eqb i j then (fun j => Y * (other i * (S j * S j / sz j))) j else 0) + (- Y / r * m i) * m j))).
      + rewrite !sum_plus, !sum_scal, sum_pick by exact Hi. ring.
      + intros j Hj. destruct (pull_at i Hi) as [_ [_ Ai]], (pull_at j Hj) as [_ [_ Aj]]. unfold means. rewrite Ai, Aj, (Nat.eqb_sym j i).
        assert (S2 := sz_two i Hi). unfold g, m, of_means. destruct (Nat.eqb_spec i j) as [<-|ne].
        * destruct i; cbn [other]; unfold Y; [change (sz 0) with L; field; lra | field; lra].
        * unfold Y, force_of, apart_of. destruct i, j; try lia; cbn [other]; field; lra. }
  rewrite E. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; nra | apply Rle_0_sqr]|].
  apply Rmult_le_pos; [exact K|]. set (M := sum n m).
  assert (W : 0 <= sum n (fun i => other i * (sz i * ((S i / sz i - M / r) * (S i / sz i - M / r))))).
  { apply (lin_pos (sum_linear n)). intros i Hi. assert (S2 := sz_two i Hi). apply Rmult_le_pos; [destruct i; cbn [other]; lra|].
    apply Rmult_le_pos; [lra | apply Rle_0_sqr]. }
  rewrite (sum_ext n _ (fun i => other i * (S i * S i / sz i) + ((- 2 * M / r) * m i + M / r * (M / r) * (sz i * (0 + 1 * other i))))) in W
    by (intros i Hi; assert (S2 := sz_two i Hi); unfold m; field; lra).
  rewrite !sum_plus, !sum_scal, affine in W. fold M in W. replace (M * M / r) with (2 * M / r * M - M / r * (M / r) * r) by (field; lra).
  replace (-2 * M / r * M) with (- (2 * M / r * M)) in W by (field; lra). lra.
Qed.
Lemma slack_zero : slack Rs tau A h its_multiplier = 0.
Proof.
  destruct parts as [P [Q [P0 P1]]]. assert (L2 := L_two). assert (R2 := r_two). unfold slack. rewrite sum_of_sizes.
  set (be := e2 / Z0). set (de := e2 / Z1).
  rewrite (sum_ext n _ (fun i => sz i * (r * (be - force) + (L * (de - force) - r * (be - force)) * other i))).
  - rewrite affine. replace (_ + _ * r) with 0 by (unfold force_of; fold be de; field). unfold Rdiv. ring.
  - intros i Hi. f_equal. destruct (pull_at i Hi) as [T [F O]]. assert (S2 := sz_two i Hi).
    rewrite (row_at _ i (match i with O => e1 / Z0 | _ => - de end) (match i with O => - be - e1 / Z0 | _ => e1 / Z1 + de end)).
    + rewrite T, F, !inner_of. unfold its_multiplier, near_part, apart_of. destruct i as [|i]; cbn [other]; [change (sz 0) with L in *; fold be | fold de]; field; repeat split; lra.
    + exact Hi.
    + intro j. rewrite O, inner_of. unfold be, de. destruct i, j; cbn [other]; ring.
Qed.
Theorem merged_least dims x : unit_members kinds dims x ->
  loss_of_kinds kinds tau [t] (fun u w => h (between_members u w)) <= loss_of_kinds kinds tau [t] (inner dims x).
Proof.
  intro unit. destruct parts as [P [Q [P0 P1]]]. assert (L2 := L_two). assert (R2 := r_two).
  assert (one : forall s N, In s kinds -> In N s -> (1 <= N)%nat).
  { intros s N I J. apply in_map_iff in I as [v [<- I]]. destruct J as [<-|[]]. assert (H := two v I). lia. }
  assert (some : 0 < sum_of Rs (fun _ => 1)).
  { rewrite sum_of_sizes, (sum_ext n _ (fun i => sz i * (1 + 0 * other i))), affine by (intros; ring). lra. }
  assert (ok : convex_kinds Rs tau [t] h).
  { constructor; [exact tau_pos | | |]; intros u; intros; repeat match goal with I : In u [t] |- _ => destruct I as [<-|[]] end.
    - rewrite weighs. lra.
    - apply denominators.
    - rewrite count in *. rewrite part_at_kind by assumption. unfold near_part. destruct i; assumption. }
  rewrite kinds_value_at by assumption. rewrite <- (Rplus_0_r (value_of_kinds _ _ _ _)), <- slack_zero.
  apply (kinds_bound kinds tau [t] h its_multiplier of_means one some ok dims x unit); [|intro; rewrite map_length; apply means_above].
  intros i Hi. apply own_at. rewrite map_length in Hi. exact Hi.
Qed.
Theorem merged : (exists dims x, unit_members kinds dims x /\ forall u v, inner dims x u v = h (between_members u v)) /\
  forall dims x, unit_members kinds dims x -> loss_of_kinds kinds tau [t] (fun u w => h (between_members u w)) <= loss_of_kinds kinds tau [t] (inner dims x).
Proof.
  split; [|exact merged_least]. exists [1%nat], (fun u _ => 1 - 2 * other (fst u)). split; [intros u _|intros u v]; unfold inner, between_members; simpl;
    [destruct (fst u) | rewrite inner_of; destruct (fst u), (fst v)]; cbn [other]; ring.
Qed.
End Merging.
