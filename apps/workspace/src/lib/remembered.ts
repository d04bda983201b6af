/** Returns a cached value or creates it. Creating a formatter takes longer than formatting a thousand cells. */
export function remembered<K, V>(cache: Map<K, V>, key: K, make: () => V): V {
  const found = cache.get(key)
  if (found !== undefined) return found
  const made = make()
  cache.set(key, made)
  return made
}
