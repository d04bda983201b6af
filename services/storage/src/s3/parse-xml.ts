import { XMLParser } from 'fast-xml-parser'
import { malformedXml } from './s3-errors.ts'

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  removeNSPrefix: true,
  // Required for numeric character references, which Go uses for quotes.
  htmlEntities: true,
  isArray: (_name, path) => String(path) === 'Delete.Object' || String(path) === 'CompleteMultipartUpload.Part',
})

/**
 * Parses a request body. Document types are rejected, so entities cannot be declared.
 *
 * @param root - required root element
 * @throws {HoldfastError} `MalformedXML`
 */
export function parseXml(text: string, root: string): Readonly<Record<string, unknown>> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw malformedXml()
  let parsed: unknown
  try {
    parsed = parser.parse(text, true)
  } catch (error) {
    throw malformedXml(error)
  }
  const element = (parsed as Readonly<Record<string, unknown>>)[root]
  if (typeof element !== 'object' || element === null) throw malformedXml()
  return element as Readonly<Record<string, unknown>>
}

/** Returns the elements of a list. @throws {HoldfastError} `MalformedXML` if there are too many, or some are not elements */
export function listOf(
  element: Readonly<Record<string, unknown>>,
  name: string,
  max: number,
): readonly Readonly<Record<string, unknown>>[] {
  const list = (element[name] ?? []) as readonly unknown[]
  if (!Array.isArray(list) || list.length > max) throw malformedXml()
  if (list.some((one) => typeof one !== 'object' || one === null)) throw malformedXml()
  return list as readonly Readonly<Record<string, unknown>>[]
}
