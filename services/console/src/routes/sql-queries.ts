import { Type } from 'typebox'
import { NAME_CHARS_MAX, SAVED_CHARS_MAX } from '../limits.ts'
import { requireOperator } from '../operators/require-operator.ts'
import { answer, route, type Route } from '../routing/route.ts'
import type { SavedQueries, SavedQueryFields } from '../sql/saved-queries.ts'
import type { SqlHistory } from '../sql/sql-history.ts'

const Name = Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, pattern: String.raw`\S` })
const Text = Type.String({ minLength: 1, maxLength: SAVED_CHARS_MAX })

/** Queries that operators open again: their last runs, and those that they saved. */
export function sqlQueryRoutes(history: SqlHistory, queries: SavedQueries): readonly Route[] {
  return [
    route('GET /sql/history', {
      access: 'developer',
      run: async ({ session }) => ({ runs: await history.list(requireOperator(session).operator.id) }),
    }),
    route('GET /sql/history/:id', {
      access: 'developer',
      run: async ({ session, parameters }) =>
        await history.read(requireOperator(session).operator.id, parameters['id'] ?? ''),
    }),
    route('GET /sql/saved', {
      access: 'developer',
      run: async ({ session }) => ({ queries: await queries.list(requireOperator(session).operator) }),
    }),
    route('GET /sql/saved/:id', {
      access: 'developer',
      run: async ({ session, parameters }) =>
        await queries.read(requireOperator(session).operator, parameters['id'] ?? ''),
    }),
    route('POST /sql/saved', {
      access: 'developer',
      action: 'save_query',
      body: Type.Object({ name: Name, text: Text, isShared: Type.Boolean() }),
      run: async ({ session, body, note }) => {
        const id = await queries.add(requireOperator(session).operator, body)
        note({ target: `query ${id}`, after: auditedQuery(body) })
        return answer({ status: 201, body: { id } })
      },
    }),
    route('PATCH /sql/saved/:id', {
      access: 'developer',
      action: 'change_query',
      body: Type.Object({
        name: Type.Optional(Name),
        text: Type.Optional(Text),
        isShared: Type.Optional(Type.Boolean()),
      }),
      run: async ({ session, parameters, body, note }) => {
        const id = parameters['id'] ?? ''
        const { operator } = requireOperator(session)
        const before = await queries.read(operator, id)
        note({ target: `query ${id}`, before: auditedQuery(before), after: auditedQuery({ ...before, ...body }) })
        await queries.change(operator, id, body)
      },
    }),
    route('DELETE /sql/saved/:id', {
      access: 'developer',
      action: 'delete_query',
      run: async ({ session, parameters, note }) => {
        const id = parameters['id'] ?? ''
        const { operator } = requireOperator(session)
        note({ target: `query ${id}`, before: auditedQuery(await queries.read(operator, id)) })
        await queries.delete(operator, id)
      },
    }),
  ]
}

/** Operators read the audit log: of a private query it tells nothing else. */
function auditedQuery({ name, text, isShared }: SavedQueryFields): Partial<SavedQueryFields> {
  return isShared ? { name, text, isShared } : { isShared }
}
