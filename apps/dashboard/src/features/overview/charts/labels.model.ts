export interface Placed {
  readonly id: string;
  /** Where the series ends. */
  readonly target: number;
  /** Where its label stands. */
  readonly y: number;
}

interface Cluster {
  members: { readonly id: string; readonly target: number }[];
  middle: number;
}

/**
 * Places labels beside the ends of their series: each as near to its own as it can be with `gap` px between neighbours,
 * all within `top` and `bottom`. Keeps the order of the targets; equals keep the order they came in.
 */
export function placedLabels(
  targets: readonly { readonly id: string; readonly target: number }[],
  { gap, top, bottom }: { gap: number; top: number; bottom: number },
): readonly Placed[] {
  const within = (cluster: Cluster): Cluster => {
    const half = ((cluster.members.length - 1) * gap) / 2;
    const mean = cluster.members.reduce((sum, member) => sum + member.target, 0) / cluster.members.length;
    return { ...cluster, middle: Math.max(top + half, Math.min(bottom - half, mean)) };
  };
  const clusters: Cluster[] = [];
  for (const member of [...targets].sort((one, other) => one.target - other.target)) {
    let current = within({ members: [member], middle: member.target });
    let before = clusters.at(-1);
    // Neighbours too near become one cluster that is centred on the mean of its targets.
    while (before !== undefined && current.middle - before.middle < ((before.members.length + current.members.length) / 2) * gap) {
      clusters.pop();
      current = within({ members: [...before.members, ...current.members], middle: 0 });
      before = clusters.at(-1);
    }
    clusters.push(current);
  }
  return clusters.flatMap(({ members, middle }) =>
    members.map((member, index) => ({ ...member, y: middle + (index - (members.length - 1) / 2) * gap })),
  );
}
