import { HoldfastError } from '@holdfast/foundation'

/** The address of a request as S3 reads it: percent-encoded once, and `+` is a plus. */
export interface RequestTarget {
  /** Still encoded. */
  readonly rawPath: string
  /** Decoded, in the order of the address. */
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** @param url - path and query, as they came @throws {HoldfastError} `InvalidURI` */
export function parseTarget(url: string): RequestTarget {
  const mark = url.indexOf('?')
  const rawPath = mark < 0 ? url : url.slice(0, mark)
  const pairs = mark < 0 ? [] : url.slice(mark + 1).split('&')
  return {
    rawPath,
    query: pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const equals = pair.indexOf('=')
        return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
      }),
  }
}

/** The first value of a parameter. */
export function parameterOf({ query }: RequestTarget, name: string): string | undefined {
  return query.find(([one]) => one === name)?.[1]
}

/** What follows a mount point: the bucket, and the key as all that is behind it. */
export function parseBucketPath(
  rawPath: string,
  mountPath: string,
): { readonly bucket: string | undefined; readonly key: string | undefined } {
  const rest = rawPath.slice(mountPath.length).replace(/^\//, '')
  const slash = rest.indexOf('/')
  const bucket = decode(slash < 0 ? rest : rest.slice(0, slash))
  const key = slash < 0 ? '' : decode(rest.slice(slash + 1))
  return { bucket: bucket || undefined, key: key || undefined }
}

/** @throws {HoldfastError} `InvalidURI` */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new HoldfastError('InvalidURI', 400, "Couldn't parse the specified URI.", { cause })
  }
}

/** As SigV4 wants it: all but letters, digits and `-._~`. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}
