import { HoldfastError } from '@holdfast/foundation'

/** A request URL as S3 reads it: percent-decoded once, and `+` is literal. */
export interface RequestTarget {
  /** Still encoded. */
  readonly rawPath: string
  /** Decoded, in URL order. */
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** @param url - path and query, undecoded @throws {HoldfastError} `InvalidURI` */
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

/** Returns the first value of a parameter. */
export function parameterOf({ query }: RequestTarget, name: string): string | undefined {
  return query.find(([one]) => one === name)?.[1]
}

/** Splits the path after the mount point into the bucket and the key (the whole remainder). */
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

/** Percent-encodes per SigV4: everything but letters, digits and `-._~`. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}
