import { invalidMimeType } from '../errors.ts'

const NEW_TYPE = /^(?:[a-zA-Z0-9\-+.]+\/(?:[a-zA-Z0-9\-+.]+|\*)(?:;\s*charset=[a-zA-Z0-9-]+)?|\*)$/
const TYPE_LENGTH_MAX = 1_000

/** Validates the allowed types of a bucket. @throws {HoldfastError} `InvalidMimeType` */
export function requireMimeTypes(types: readonly string[]): void {
  const wrong = types.find((type) => type.length > TYPE_LENGTH_MAX || !NEW_TYPE.test(type))
  if (wrong !== undefined) throw invalidMimeType(wrong.slice(0, TYPE_LENGTH_MAX))
}

/** @param allowed - `type/subtype`, `type/*` or `*`; `null` allows all @throws {HoldfastError} `InvalidMimeType` */
export function requireAllowedType(type: string, allowed: readonly string[] | null): void {
  if (!allowed || allowed.length === 0 || allowed.includes('*')) return
  const [major, minor] = type.split('/')
  const isAllowed = allowed.some((one) => {
    const [allowedMajor, allowedMinor] = one.split('/')
    return minor !== undefined && allowedMajor === major && (allowedMinor === '*' || allowedMinor === minor)
  })
  if (!isAllowed) throw invalidMimeType(type)
}
