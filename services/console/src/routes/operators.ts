import { Type } from 'typebox'
import { invalidRequest, operatorUnknown } from '../errors.ts'
import { EMAIL_CHARS_MAX, INVITATION_HOURS, NAME_CHARS_MAX } from '../limits.ts'
import type { Invitations } from '../operators/invitations.ts'
import type { Operators } from '../operators/operators.ts'
import { requireOperator } from '../operators/require-operator.ts'
import type { Sessions } from '../operators/sessions.ts'
import { answer, route, type Route } from '../routing/route.ts'
import { requireAddress } from './session.ts'

const Role = Type.Union([Type.Literal('viewer'), Type.Literal('developer'), Type.Literal('owner')])
const Email = Type.String({ minLength: 3, maxLength: EMAIL_CHARS_MAX })

/** Operators and their invitations. Only owners change them. */
export function operatorRoutes({
  operators,
  sessions,
  invitations,
}: {
  readonly operators: Operators
  readonly sessions: Sessions
  readonly invitations: Invitations
}): readonly Route[] {
  return [
    route('GET /operators', {
      access: 'owner',
      run: async () => ({ operators: await operators.list(), invitations: await invitations.list() }),
    }),
    route('POST /operators', {
      access: 'owner',
      action: 'invite_operator',
      body: Type.Object({ email: Email, role: Role, recovers: Type.Optional(Type.Boolean()) }),
      run: async ({ body, session, note }) => {
        const { role, recovers = false } = body
        const email = body.email.trim()
        requireAddress(email)
        note({ target: `operator ${email}`, after: recovers ? { recovers } : { role } })
        const invitedBy = requireOperator(session).operator.email
        const key = await invitations.create({ email, role, invitedBy, mayExist: recovers })
        return answer({ status: 201, body: { key, hours: INVITATION_HOURS } })
      },
    }),
    route('DELETE /invitations/:email', {
      access: 'owner',
      action: 'revoke_invitation',
      run: async ({ parameters, note }) => {
        const { email = '' } = parameters
        note({ target: `operator ${email}` })
        if (!(await invitations.revoke(email))) throw operatorUnknown()
      },
    }),
    route('PATCH /operators/:id', {
      access: 'owner',
      action: 'change_operator',
      body: Type.Object({
        name: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX })),
        role: Type.Optional(Role),
        isDisabled: Type.Optional(Type.Boolean()),
      }),
      run: async ({ parameters, body, note, session }) => {
        const before = await operators.get(parameters['id'] ?? '')
        const { name, role, isDisabled } = before
        note({ target: `operator ${before.email}`, before: { name, role, isDisabled }, after: body })
        if (body.isDisabled && before.id === requireOperator(session).operator.id)
          throw invalidRequest('You cannot disable your own account.')
        await operators.change(before.id, body)
        if (body.isDisabled) await sessions.endOthers(before.id)
      },
    }),
    route('DELETE /operators/:id', {
      access: 'owner',
      action: 'delete_operator',
      run: async ({ parameters, note }) => {
        const before = await operators.get(parameters['id'] ?? '')
        note({ target: `operator ${before.email}`, before: { name: before.name, role: before.role } })
        await operators.delete(before.id)
      },
    }),
    route('DELETE /operators/:id/sessions', {
      access: 'owner',
      action: 'end_operator_sessions',
      run: async ({ parameters, note }) => {
        const { id, email } = await operators.get(parameters['id'] ?? '')
        note({ target: `operator ${email}` })
        return { endedSessions: await sessions.endOthers(id) }
      },
    }),
  ]
}
