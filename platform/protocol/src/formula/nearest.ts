/** Returns the name that was probably meant: the one with the fewest changed characters, if these are few. */
export function nearestOf(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const most = Math.max(1, Math.floor(wanted.length / 3))
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const one of names) {
    if (Math.abs(one.length - wanted.length) > most) continue
    const distance = distanceOf(wanted, one.toLowerCase())
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name: one, distance }
  }
  return best?.name
}

/** Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(same, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    last = row
  }
  return last[b.length] ?? 0
}
