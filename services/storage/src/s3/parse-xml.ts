import { XMLParser } from 'fast-xml-parser'
import { malformedXml } from './s3-errors.ts'

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  removeNSPrefix: true,
  // With it the parser reads characters that are written as numbers, too: XML has them, and Go writes quotes so.
  htmlEntities: true,
  isArray: (_name, path) => String(path) === 'Delete.Object' || String(path) === 'CompleteMultipartUpload.Part',
})

/**
 * Reads the body of a request. Bodies have no document type: entities, which could grow or name files, cannot be declared.
 *
 * @param root - the element that has to be the outermost
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

/** The elements of a list. @throws {HoldfastError} `MalformedXML` when there are too many, or some are no elements */
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
