import type { Dependency, DependencyClock } from '../plan.ts'

/** Merges to one entry per table and pin, in stable order. */
export function mergeDependencies(dependencies: readonly Dependency[]): readonly Dependency[] {
  const merged = new Map<string, Dependency>()
  for (const dependency of dependencies) {
    const key = JSON.stringify([dependency.schema, dependency.name, dependency.pin ?? null])
    const columns = new Set([...(merged.get(key)?.columns ?? []), ...dependency.columns])
    const clock = mergeClocks(merged.get(key)?.clock, dependency.clock)
    merged.set(key, { ...dependency, columns: [...columns].sort(), ...(clock ? { clock } : {}) })
  }
  return [...merged].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, dependency]) => dependency)
}

/** Merges two clocks of one table. */
function mergeClocks(
  one: DependencyClock | undefined,
  other: DependencyClock | undefined,
): DependencyClock | undefined {
  if (!one || !other) return one ?? other
  return { ...one, next: [...new Set([...one.next, ...other.next])].sort() }
}
