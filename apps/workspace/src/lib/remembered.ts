/** What was made for a key before, else what is made now. Making a formatter takes longer than formatting a thousand cells with it. */
export function remembered<K, V>(cache: Map<K, V>, key: K, make: () => V): V {
  const found = cache.get(key)
  if (found !== undefined) return found
  const made = make()
  cache.set(key, made)
  return made
}
