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
Lemma row_at F i f : (i < n)%nat -> (forall j, F (i, j, []) = f j) ->
  row_of Rs i F = sum n (fun j => sz j * f j) + (F (i, i, [true]) + (sz i - 1) * F (i, i, [false]) - sz i * f i).
Proof.
  intros Hi E. unfold row_of. rewrite count.
  rewrite (sum_ext n _ (fun j => sz j * f j + (if Nat.eqb i j then (fun j => F (i, i, [true]) + (sz i - 1) * F (i, i, [false]) - sz i * f i) j else 0))).
  - rewrite sum_plus, sum_pick by exact Hi. reflexivity.
  - intros j Hj. rewrite kind_at by exact Hj. destruct (Nat.eqb_spec i j) as [<-|ne]; [cbn [row]; cbv beta; ring | rewrite E, card_one; ring].
Qed.
Lemma part_at_kind i : (i < n)%nat -> part_of_kind Rs tau h t i = near_part i.
Proof.
  intro Hi. unfold part_of_kind.
  rewrite (row_at _ i (fun j => (match i with O => e1 | _ => e2 end) + (match i with O => e2 - e1 | _ => e1 - e2 end) * other j)), affine.
  - destruct (denominator_of i i) as [-> [-> _]]. rewrite !inner_of. unfold near_part. destruct i; cbn [other nth]; ring.
  - exact Hi.
  - intro j. destruct (denominator_of i j) as [_ [_ ->]]. rewrite inner_of. destruct i, j; cbn [other]; ring.
Qed.
Notation Z0 := ((L - 1) * e1 + r * e2).
Notation Z1 := ((r - 1) * e1 + L * e2).
Notation force := (force_of L r tau).
Notation apart := (apart_of L r tau).
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
(* ---- where it is not: two of the others are turned by small angles, in opposite directions ---- *)
Notation al := (e1 / Z0).
Notation be := (e2 / Z0).
Notation de := (e2 / Z1).
Notation ga := (e1 / Z1).
Lemma class_form v : let W := sum n (fun j => sz j * other j * v j) in
  total_of kinds (fun u => total_of kinds (fun w => A (between_members u w) * (v (fst u) * v (fst w))))
  = L * (v O * v O) * (al * L - al - 1) + (be + de) * L * v O * W + ga * (W * W) - (ga + 1) * sum n (fun j => sz j * other j * (v j * v j)).
Proof.
  intro W. destruct parts as [P [Q [P0 P1]]]. assert (L2 := L_two). assert (R2 := r_two). rewrite (sum_of_at kinds _ (fun i => v i * row_of Rs i (fun q => A q * v (snd (fst q))))).
  2:{ intros u Hu. rewrite <- (row_of_at kinds (fun q => A q * v (snd (fst q))) u Hu), <- (lin_scal (all_linear kinds)).
      apply (lin_ext (all_linear kinds)); intros w _. change (snd (fst (between_members u w))) with (fst w). ring. }
  rewrite sum_of_sizes.
  assert (V : forall a b, sum n (fun j => sz j * (a + b * other j) * v j) = a * (L * v O + W) + b * W).
  { intros a b. unfold W. rewrite (sum_ext n _ (fun j => a * (sz j * v j) + b * (sz j * other j * v j))), sum_plus, !sum_scal by (intros; ring).
    f_equal. f_equal. cbn [length]. rewrite !sum_first. cbn [nth other]. rewrite (sum_ext _ (fun k => _ * 1 * v (S k)) (fun k => INR (nth k rest O) * v (S k))) by (intros; ring). ring. }
  assert (X : forall a b, sum n (fun j => sz j * other j * (a * v j + b * (v j * v j))) = a * W + b * sum n (fun j => sz j * other j * (v j * v j))).
  { intros a b. unfold W. rewrite (sum_ext n _ (fun j => a * (sz j * other j * v j) + b * (sz j * other j * (v j * v j)))), sum_plus, !sum_scal by (intros; ring). reflexivity. }
  rewrite (sum_ext n _ (fun i => (if Nat.eqb 0 i then (fun i => L * (v O * (al * L * v O + be * W - (al + 1) * v O))) i else 0)
    + sz i * other i * ((de * L * v O + ga * W) * v i + - (ga + 1) * (v i * v i)))).
  - rewrite sum_plus, sum_pick, X by (cbn [length]; lia). cbv beta. ring.
  - intros i Hi. destruct (pull_at i Hi) as [T [F O]]. assert (S2 := sz_two i Hi).
    rewrite (row_at _ i (fun j => (match i with O => al | _ => de end + match i with O => be - al | _ => ga - de end * other j) * v j)) by (try exact Hi; intro j; rewrite O; destruct i; cbn [fst snd]; ring).
    rewrite (sum_ext n _ (fun j => sz j * (match i with O => al | _ => de end + match i with O => be - al | _ => ga - de end * other j) * v j)), V, T, F by (intros; ring). cbn [fst snd]. unfold near_part. destruct i as [|i]; cbn [Nat.eqb other]; [change (sz 0) with L in * | set (s := sz (S i)) in *].
    + replace ((L - 1) * ((al - / (L - 1)) * v 0%nat)) with (((L - 1) * al - 1) * v 0%nat) by (field; lra). ring.
    + replace ((s - 1) * ((ga - / (s - 1)) * v (S i))) with (((s - 1) * ga - 1) * v (S i)) by (field; lra). ring.
Qed.
Lemma ok : convex_kinds Rs tau [t] h.
Proof.
  destruct parts as [P [Q [P0 P1]]]. constructor; [exact tau_pos | | |]; intros u; intros; repeat match goal with I : In u [t] |- _ => destruct I as [<-|[]] end.
  - rewrite weighs. lra.
  - apply denominators.
  - rewrite count in *. rewrite part_at_kind by assumption. unfold near_part. destruct i; assumption.
Qed.
Lemma some : 0 < sum_of Rs (fun _ => 1).
Proof.
  assert (L2 := L_two). assert (R2 := r_two).
  rewrite sum_of_sizes, (sum_ext n _ (fun i => sz i * (1 + 0 * other i))), affine by (intros; ring). lra.
Qed.
Notation side u := (1 - 2 * other (fst u)).
Lemma h_sides u w : h (between_members u w) = side u * side w.
Proof. unfold between_members. rewrite inner_of. destruct (fst u), (fst w); cbn [other]; ring. Qed.
Theorem separated : L * force - r * apart < 0 -> exists dims x, unit_members kinds dims x /\
  loss_of_kinds kinds tau [t] (inner dims x) < loss_of_kinds kinds tau [t] (fun u w => h (between_members u w)).
Proof.
  intro neg. destruct parts as [P [Q [P0 P1]]]. assert (L2 := L_two). assert (R2 := r_two).
  assert (G : 0 < ga) by (apply Rdiv_lt_0_compat; assumption).
  assert (N1 : (1 < n)%nat) by (cbn [length]; lia). assert (N2 : (2 < n)%nat) by (cbn [length]; lia).
  assert (S1 := sz_two 1 N1). assert (S2 := sz_two 2 N2).
  set (eta := - 2 * (L * force - r * apart) / ga). assert (E0 : 0 < eta) by (apply Rdiv_lt_0_compat; lra).
  set (dl := Rmin 1 eta / 2). assert (D1 := Rmin_l 1 eta). assert (D2 := Rmin_r 1 eta). assert (D0 : 0 < Rmin 1 eta) by (apply Rmin_glb_lt; lra).
  assert (turned : forall s, 2 <= s -> exists a d, a * a + d * d = 1 /\ s * d = dl /\ 0 < s * (1 - a) < eta / 2).
  { intros s Hs. set (d := dl / s). assert (d0 : 0 < d) by (apply Rdiv_lt_0_compat; unfold dl; lra). assert (sd : s * d = dl) by (unfold d; field; lra).
    assert (d1 : d <= 1 / 4) by (unfold dl in sd; nra). exists (sqrt (1 - d * d)), d.
    assert (A0 := sqrt_pos (1 - d * d)). assert (A1 := sqrt_sqrt (1 - d * d) ltac:(nra)). set (a := sqrt (1 - d * d)) in *.
    assert (A2 : a < 1) by nra. assert (A3 : 1 - a <= d * d) by nra. repeat split; [lra | exact sd | nra |].
    apply Rle_lt_trans with (dl * d); [rewrite <- sd; nra | unfold dl in *; nra]. }
  destruct (turned (sz 1) S1) as [a1 [d1 [u1 [s1 [p1 q1]]]]]. destruct (turned (sz 2) S2) as [a2 [d2 [u2 [s2 [p2 q2]]]]].
  set (v := fun j => 1 - 2 * other j + ((if Nat.eqb 1 j then (fun _ => 1 - a1) j else 0) + (if Nat.eqb 2 j then (fun _ => 1 - a2) j else 0))).
  set (w := fun j => (if Nat.eqb 1 j then (fun _ => d1) j else 0) + (if Nat.eqb 2 j then (fun _ => - d2) j else 0)).
  set (g := fun j => 1 - 2 * other j). set (ep := sz 1 * (1 - a1) + sz 2 * (1 - a2)).
  assert (Wg : sum n (fun j => sz j * other j * g j) = - r).
  { rewrite (sum_ext n _ (fun j => sz j * (0 + - 1 * other j))), affine; [ring|]. intros j _. unfold g. destruct j; cbn [other]; ring. }
  assert (Wv : sum n (fun j => sz j * other j * v j) = - r + ep).
  { rewrite (sum_ext n _ (fun j => sz j * other j * g j + ((if Nat.eqb 1 j then (fun j => sz j * (1 - a1)) j else 0) + (if Nat.eqb 2 j then (fun j => sz j * (1 - a2)) j else 0)))).
    - rewrite !sum_plus, Wg, !sum_pick by assumption. reflexivity.
    - intros j _. unfold v, g. destruct j as [|[|[|j]]]; cbn [Nat.eqb other]; ring. }
  assert (Ww : sum n (fun j => sz j * other j * w j) = 0).
  { rewrite (sum_ext n _ (fun j => (if Nat.eqb 1 j then (fun j => sz j * d1) j else 0) + (if Nat.eqb 2 j then (fun j => sz j * - d2) j else 0))).
    - rewrite !sum_plus, !sum_pick by assumption. lra.
    - intros j _. unfold w. destruct j as [|[|[|j]]]; cbn [Nat.eqb other]; ring. }
  assert (one : forall j, v j * v j + w j * w j = 1).
  { intro j. unfold v, w. destruct j as [|[|[|j]]]; cbn [Nat.eqb other]; [ring | | | ring]; nra. }
  assert (Wq : sum n (fun j => sz j * other j * (v j * v j)) + sum n (fun j => sz j * other j * (w j * w j)) = sum n (fun j => sz j * other j * (g j * g j))).
  { rewrite <- sum_plus. apply sum_ext. intros j _. rewrite <- Rmult_plus_distr_l, one. unfold g. destruct j; cbn [other]; ring. }
  assert (L0 := all_linear kinds).
  set (D := fun u x : member => v (fst u) * v (fst x) + (w (fst u) * w (fst x) - side u * side x)).
  assert (slope_at : derivable_pt_lim (fun p => total_of kinds (fun u => over [t] (member_loss kinds tau (fun _ x => h (between_members u x) + p * D u x) u))) 0
    (/ tau * (ep * (2 * (L * force - r * apart) + ga * ep)))).
  { replace (/ tau * _) with (total_of kinds (fun u => total_of kinds (fun x => / tau * A (between_members u x) * D u x))).
    - apply (lin_der L0 (fun u p => over [t] (member_loss kinds tau (fun _ x => h (between_members u x) + p * D u x) u))). intros u Hu.
      exact (slope _ _ _ _ _ (kinds_convex kinds tau [t] h ok u Hu) (D u)).
    - rewrite (lin_ext L0 _ (fun u => / tau * (total_of kinds (fun x => A (between_members u x) * (v (fst u) * v (fst x)))
        + (total_of kinds (fun x => A (between_members u x) * (w (fst u) * w (fst x))) - total_of kinds (fun x => A (between_members u x) * (g (fst u) * g (fst x))))))).
      + rewrite (lin_scal L0), (lin_plus L0), (lin_minus L0), !class_form, Wg, Wv, Ww. f_equal.
        replace (sum n (fun j => sz j * other j * (v j * v j))) with (sum n (fun j => sz j * other j * (g j * g j)) - sum n (fun j => sz j * other j * (w j * w j))) by lra.
        replace (v O) with 1 by (unfold v; cbn [Nat.eqb other]; ring). replace (w O) with 0 by (unfold w; cbn [Nat.eqb]; ring).
        replace (g O) with 1 by (unfold g; cbn [other]; ring). unfold force_of, apart_of. field. lra.
      + intros u _. rewrite <- (lin_minus L0), <- (lin_plus L0), <- (lin_scal L0). apply (lin_ext L0). intros x _. unfold D, g. ring. }
  assert (down : / tau * (ep * (2 * (L * force - r * apart) + ga * ep)) < 0).
  { assert (T := Rinv_0_lt_compat _ tau_pos). assert (Ee : ga * eta = - 2 * (L * force - r * apart)) by (unfold eta; field; lra).
    assert (Ep : 0 < ep < eta) by (unfold ep; lra). assert (ga * ep < ga * eta) by (apply Rmult_lt_compat_l; lra).
    assert (0 < ep * - (2 * (L * force - r * apart) + ga * ep)) by (apply Rmult_lt_0_compat; lra). nra. }
  destruct (descent _ _ slope_at down) as [p [[p0 p1'] less]].
  set (X := fun (u : member) (c : point) => match c with [O] => sqrt (1 - p) * side u | [1%nat] => sqrt p * v (fst u) | _ => sqrt p * w (fst u) end).
  assert (B1 := sqrt_sqrt (1 - p) ltac:(lra)). assert (B2 := sqrt_sqrt p p0).
  assert (at_p : forall u x, inner [3%nat] X u x = h (between_members u x) + p * D u x).
  { intros u x. unfold inner, X. cbn [total sum]. rewrite h_sides. unfold D.
    transitivity (sqrt (1 - p) * sqrt (1 - p) * (side u * side x) + sqrt p * sqrt p * (v (fst u) * v (fst x) + w (fst u) * w (fst x))); [ring|]. rewrite B1, B2. ring. }
  exists [3%nat], X. split.
  - intros u _. rewrite at_p, h_sides. unfold D. assert (I := one (fst u)). assert (J : side u * side u = 1) by (destruct (fst u); cbn [other]; ring). nra.
  - unfold loss_of_kinds, Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; rewrite (sum_of_at kinds _ (fun _ => 1)) by reflexivity; exact some|].
    assert (K : forall p q, (forall u x, q u x = h (between_members u x) + p * D u x) -> total_of kinds (fun u => over [t] (member_loss kinds tau q u))
      = total_of kinds (fun u => over [t] (member_loss kinds tau (fun _ x => h (between_members u x) + p * D u x) u))).
    { intros p' q Hq. apply (lin_ext L0). intros u Hu. apply over_ext. intros t' _. unfold member_loss. do 2 f_equal; [f_equal|]; apply (lin_ext L0); intros; rewrite Hq; reflexivity. }
    rewrite (K p _ at_p), (K 0 (fun u x => h (between_members u x))) by (intros; ring). exact less.
Qed.

(* ---- where it is ---- *)
Section Together.
Hypothesis together : 0 <= L * force - r * apart.
Lemma force_pos : 0 < force.
Proof. destruct parts as [P [Q [P0 P1]]]. unfold force_of. assert (H := Rdiv_lt_0_compat _ _ Q P0). assert (K := Rdiv_lt_0_compat _ _ Q P1). lra. Qed.
Definition its_multiplier (i : nat) : R := match i with O => (L - 1) * (e1 / Z0) - 1 - r * force | S _ => (r - 1) * apart - 1 - L * force end.
Definition of_means (i : nat) : R := match i with O => r * force / L | S _ => apart + (L * force - r * apart) / sz i end.
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
  set (g := fun i => (r + (L - r) * other i) * S i). set (m := fun i => other i * S i). set (Y := L * force - r * apart) in *. set (e := (be - de) / 2).
  assert (E : quadratic n (means A of_means) S = force / (r * L) * (sum n g * sum n g) + Y * (sum n (fun i => other i * (S i * S i / sz i)) - sum n m * sum n m / r)).
  { unfold quadratic. rewrite (sum_ext n _ (fun i => (force / (r * L) * sum n g) * g i + (Y * (other i * (S i * S i / sz i)) + ((- Y / r * sum n m - e * sum n S) * m i + e * sum n m * S i)))).
    - rewrite !sum_plus, !sum_scal. unfold Rdiv. ring.
    - intros i Hi. rewrite (sum_ext n _ (fun j => (force / (r * L) * g i) * g j + ((if Nat.eqb i j then (fun j => Y * (other i * (S j * S j / sz j))) j else 0) + ((- Y / r * m i + e * S i) * m j + - e * m i * S j)))).
      + rewrite !sum_plus, !sum_scal, sum_pick by exact Hi. ring.
      + intros j Hj. destruct (pull_at i Hi) as [_ [_ Ai]]. unfold means. rewrite Ai.
        assert (S2 := sz_two i Hi). unfold g, m, of_means. destruct (Nat.eqb_spec i j) as [<-|ne].
        * destruct i; cbn [other]; unfold Y; [change (sz 0) with L; field; lra | field; lra].
        * unfold Y, e, force_of, apart_of. destruct i, j; try lia; cbn [other]; field; lra. }
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
  rewrite (sum_ext n _ (fun i => sz i * (r * (be - force) + (L * (de - force) - r * (be - force)) * other i))).
  - rewrite affine. replace (_ + _ * r) with 0 by (unfold force_of; field; lra). unfold Rdiv. ring.
  - intros i Hi. f_equal. destruct (pull_at i Hi) as [T [F O]]. assert (S2 := sz_two i Hi).
    rewrite (row_at _ i (fun j => (match i with O => al | _ => - de end) + (match i with O => - be - al | _ => ga + de end) * other j)), affine.
    + rewrite T, F, !inner_of. unfold its_multiplier, near_part, apart_of. destruct i as [|i]; cbn [other]; [change (sz 0) with L in * |]; field; repeat split; lra.
    + exact Hi.
    + intro j. rewrite O, inner_of. destruct i, j; cbn [other]; ring.
Qed.
Theorem merged_least dims x : unit_members kinds dims x ->
  loss_of_kinds kinds tau [t] (fun u w => h (between_members u w)) <= loss_of_kinds kinds tau [t] (inner dims x).
Proof.
  intro unit. destruct parts as [P [Q [P0 P1]]]. assert (L2 := L_two). assert (R2 := r_two).
  assert (one : forall s N, In s kinds -> In N s -> (1 <= N)%nat).
  { intros s N I J. apply in_map_iff in I as [v [<- I]]. destruct J as [<-|[]]. assert (H := two v I). lia. }
  assert (S := some). assert (C := ok).
  rewrite kinds_value_at by assumption. rewrite <- (Rplus_0_r (value_of_kinds _ _ _ _)), <- slack_zero.
  apply (kinds_bound kinds tau [t] h its_multiplier of_means one S C dims x unit); [|intro; rewrite map_length; apply means_above].
  intros i Hi. apply own_at. rewrite map_length in Hi. exact Hi.
Qed.
End Together.
Theorem merged : (exists dims x, unit_members kinds dims x /\ forall u v, inner dims x u v = h (between_members u v)) /\
  (0 <= L * force - r * apart <-> forall dims x, unit_members kinds dims x ->
    loss_of_kinds kinds tau [t] (fun u w => h (between_members u w)) <= loss_of_kinds kinds tau [t] (inner dims x)).
Proof.
  split; [|split; [exact merged_least|]].
  - exists [1%nat], (fun u _ => side u). split; [intros u _|intros u v; rewrite h_sides]; unfold inner; simpl; [destruct (fst u); cbn [other]|]; ring.
  - intro least. apply Rnot_lt_le. intro neg. destruct (separated neg) as [dims [x [unit less]]]. assert (A := least dims x unit). lra.
Qed.
End Merging.
