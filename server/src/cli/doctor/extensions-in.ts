const NOISE = /--[^\n]*|\/\*[\s\S]*?\*\//g

const CREATE = /create\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"((?:[^"]|"")+)"|([\w$]+))/gi

/** @returns the extensions a migration creates, found textually */
export function extensionsIn(text: string): readonly string[] {
  return [...text.replaceAll(NOISE, ' ').matchAll(CREATE)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.toLowerCase(),
  )
}
