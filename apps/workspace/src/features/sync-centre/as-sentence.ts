/** Adds a full stop. Returns nothing for a rule's code, which belongs in the details. */
export function asSentence(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return ''
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
