import type { Advice } from '@holdfast/protocol'
import { Type } from 'typebox'
import { route, type Route } from '../routing/route.ts'

/** Reads advice about the database, kept for some minutes unless `isFresh`. */
export type ReadAdvice = (isFresh: boolean) => Promise<{ readonly advice: readonly Advice[]; readonly atMs: number }>

/** What could be better in the database and its settings. */
export function adviceRoutes(readAdvice: ReadAdvice): readonly Route[] {
  return [
    route('GET /advice', {
      access: 'viewer',
      query: Type.Object({ fresh: Type.Optional(Type.Boolean()) }),
      run: ({ query }) => readAdvice(query.fresh === true),
    }),
  ]
}
