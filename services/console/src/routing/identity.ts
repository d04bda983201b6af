import { Type } from 'typebox'

/** Schema of an identity: the project's role, a visitor without an account, or a user by id or address. */
export const Identity = Type.Union([
  Type.Object({ kind: Type.Union([Type.Literal('postgres'), Type.Literal('anon')]) }),
  Type.Object({ kind: Type.Literal('user'), id: Type.String({ maxLength: 255 }) }),
])
