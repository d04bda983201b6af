/** Part of an attribution: text, possibly a link. */
export interface Credit {
  readonly text: string
  readonly href?: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  copy: '©',
  gt: '>',
  lt: '<',
  nbsp: '\u00a0',
  quot: '"',
  reg: '®',
}

/**
 * Parses the attributions of a style's sources, which are HTML by convention. Keeps text and links and drops markup. Omits attributions contained in others.
 *
 * @see https://maplibre.org/maplibre-style-spec/sources/#attribution
 */
export function creditsOf(attributions: readonly string[]): readonly (readonly Credit[])[] {
  const read = attributions.map(readAttribution)
  const words = read.map((credits) => credits.map(({ text }) => text).join(''))
  return read.filter(
    (_, index) =>
      words[index] !== '' &&
      !words.some(
        (other, at) => at !== index && other.includes(words[index] ?? '') && (other !== words[index] || at < index),
      ),
  )
}

function readAttribution(html: string): readonly Credit[] {
  const credits: Credit[] = []
  let href: string | undefined
  for (const [piece, tag] of html.matchAll(/<([^>]*)>|[^<]+/g)) {
    if (tag === undefined) {
      const text = decode(piece).replaceAll(/[ \n\t]+/g, ' ')
      if (text.trim() !== '' || credits.length > 0) credits.push({ text, ...(href === undefined ? {} : { href }) })
    } else if (/^a\s/i.test(tag)) {
      href = webAddress(/\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag)?.slice(1).find(Boolean))
    } else if (/^\/a\b/i.test(tag)) {
      href = undefined
    }
  }
  while (credits.at(-1)?.text.trim() === '') credits.pop()
  return credits
}

function webAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(decode(text))
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    const code = hex ? Number.parseInt(String(hex), 16) : decimal ? Number(decimal) : undefined
    if (code === undefined) return ENTITIES[String(name)] ?? whole
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
  })
}
