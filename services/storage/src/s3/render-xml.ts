/** Content of an element: text, child elements, or nothing. */
export type XmlContent = string | number | boolean | undefined | XmlElements
/** An array repeats the element. */
export interface XmlElements {
  readonly [name: string]: XmlContent | readonly XmlContent[]
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** Renders a response. Omits `undefined` elements. */
export function renderXml(name: string, content: XmlContent, hasNamespace = true): string {
  const namespace = hasNamespace ? ` xmlns="${NAMESPACE}"` : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${namespace}>${renderContent(content)}</${name}>`
}

function renderContent(content: XmlContent): string {
  if (content === undefined) return ''
  if (typeof content !== 'object') return escape(String(content))
  return Object.entries(content)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: XmlContent) => [name, one] as const))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<${name}>${renderContent(value)}</${name}>`)
    .join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

// oxlint-disable-next-line no-control-regex -- these are the characters meant
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** Drops characters that XML cannot represent. */
function escape(text: string): string {
  return text.replaceAll(NOT_IN_XML, '').replaceAll(/[&<>"\r]/g, (one) => ESCAPES[one] ?? '')
}
