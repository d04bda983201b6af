/** The name of the bucket that holds the rows of a definition with these key values. Opaque to devices. */
export function bucketName(definition: { readonly id: string; readonly tag: string }, keys: readonly string[]): string {
  return `${definition.id}.${definition.tag}${JSON.stringify(keys)}`
}
