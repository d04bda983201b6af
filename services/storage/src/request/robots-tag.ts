import { invalidRequest } from '../errors.ts'

const RULE =
  /^(?:[\w-]+:\s*)?(?:all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex|max-snippet:\s*-?\d+|max-video-preview:\s*-?\d+|max-image-preview:\s*(?:none|standard|large))$/
const UNTIL = /^unavailable_after:\s*[\w\s:,+.-]+$/

/** Validates an `X-Robots-Tag` value. @throws {HoldfastError} `InvalidRequest` */
export function requireRobotsTag(text: string): void {
  const isKnown = text.split(/,(?![^:]*\d{4})/).every((rule) => RULE.test(rule.trim()) || UNTIL.test(rule.trim()))
  if (!isKnown) throw invalidRequest(`Invalid X-Robots-Tag header: ${text.slice(0, 100)}`)
}
