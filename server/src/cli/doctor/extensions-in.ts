const NOISE = /--[^\n]*|\/\*[\s\S]*?\*\//g

const CREATE = /create\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"((?:[^"]|"")+)"|([\w$]+))/gi

/** @returns the names of the extensions that a migration makes, as a reader who looks over it finds them: Postgres decides when it is applied */
export function extensionsIn(text: string): readonly string[] {
  return [...text.replaceAll(NOISE, ' ').matchAll(CREATE)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.toLowerCase(),
  )
}
