const DECIMAL: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 }
const BINARY: Readonly<Record<string, number>> = { kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 }

/**
 * Parses a file size as in `config.toml`: decimal or binary units, plain numbers are bytes.
 *
 * @returns bytes, or `undefined` for invalid input
 */
export function parseConfiguredSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim())
  const unit = match?.[2]?.toLowerCase() || 'b'
  const factor = DECIMAL[unit] ?? BINARY[unit]
  return match && factor !== undefined ? inBytes(Number(match[1]), factor) : undefined
}

/**
 * Parses a bucket limit as the API does: decimal units, three significant digits, unit required.
 *
 * @returns bytes, or `undefined` for invalid input
 */
export function parseBucketLimit(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)$/i.exec(text)
  const factor = DECIMAL[match?.[2]?.toLowerCase() ?? '']
  return match && factor !== undefined ? inBytes(Number(Number(match[1]).toPrecision(3)), factor) : undefined
}

function inBytes(value: number, factor: number): number | undefined {
  const bytes = Math.floor(value * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
