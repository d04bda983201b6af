import type { TargetName } from '../plan/target-names.ts'

/**
 * `299 holdfast "…"`: that a request names embedded tables by their own names although they have an alias, which PostgREST will stop accepting.
 *
 * @see RFC 7234, section 5.5
 */
export function renderWarning(targetNames: readonly TargetName[]): string {
  const changes = targetNames.map(({ target, alias }) => `${quote(target)} to ${quote(alias)}`).join(', ')
  return `299 holdfast "An embedded table that has an alias was named by its own name, which is deprecated. In filters, orders and limits change ${changes}."`
}

/** Names may have any character; a header is ASCII without quotes and controls. */
function quote(name: string): string {
  return `'${name.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, (sign) => encodeURIComponent(sign))}'`
}
