const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Converts HTML to plain text, followed by link URLs. Sufficient for mails, not for arbitrary pages. */
export function htmlToText(html: string): string {
  const text = html
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(head|style|script|title)\b[^>]*>.*?<\/\1>|<!--.*?-->|<!doctype[^>]*>/gi, '')
    .replaceAll(/<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)<\/a>/gi, (_, double, single, inner) =>
      linkText(String(double ?? single), String(inner)),
    )
    .replaceAll(/<br\b[^>]*>/gi, '\n')
    .replaceAll(/<\/?(p|div|h[1-6]|table|tr|ul|ol|li|section|header|footer|blockquote|hr)\b[^>]*>/gi, '\n\n')
    .replaceAll(/<[^>]*>/g, '')
  return `${decode(text)
    .replaceAll(/ *\n */g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

function linkText(address: string, inner: string): string {
  const label = inner.replaceAll(/<[^>]*>/g, '').trim()
  return label === '' || label === address ? address : `${label}: ${address}`
}

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hexadecimal, name) => {
    if (decimal !== undefined) return codePoint(Number(decimal), whole)
    if (hexadecimal !== undefined) return codePoint(Number.parseInt(String(hexadecimal), 16), whole)
    return ENTITIES[String(name).toLowerCase()] ?? whole
  })
}

function codePoint(value: number, otherwise: string): string {
  return value > 0 && value <= 0x10_ffff ? String.fromCodePoint(value) : otherwise
}
