import type { Backend } from '../../lib/data/backend.ts'
import { callRoute } from '../../lib/data/call-route.ts'
import type { AccessRules } from './access-rules.ts'

/** What rules would change (docs/guides/rules-without-sql.md). */
export interface AccessPreview {
  readonly sql: string
  readonly records: number
  readonly isPartial: boolean
  readonly members: readonly {
    readonly id: string
    readonly name: string
    readonly sees: number
    readonly gains: number | null
    readonly loses: number | null
    readonly changes: number
  }[]
}

/** What a member sees. */
export interface SeenAs {
  readonly member: { readonly name: string; readonly role: string }
  readonly tables: readonly { readonly table: string; readonly sees: number | null; readonly changes: number | null }[]
  readonly records?: readonly {
    readonly id: string
    readonly sees: boolean
    readonly changes: boolean
    readonly seesBy: readonly string[]
    readonly changesBy: readonly string[]
  }[]
}

interface Asked {
  readonly workspace: string
  readonly table: string
}

/** @throws {CallRefused}; {TypeError} if the server is not reached */
export function previewAccess(
  backend: Backend,
  asked: Asked & { readonly rules: AccessRules },
): Promise<AccessPreview> {
  return callRoute(backend, '/app/v1/access-preview', asked)
}

/** @throws {CallRefused}; {TypeError} if the server is not reached */
export function seeAs(backend: Backend, asked: Asked & { readonly member: string }): Promise<SeenAs> {
  return callRoute(backend, '/app/v1/see-as', asked)
}
