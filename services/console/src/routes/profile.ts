import { encodeQR } from 'qr'
import { Type } from 'typebox'
import type { Clock } from '@holdfast/foundation'
import { invalidRequest, wrongCode } from '../errors.ts'
import { NAME_CHARS_MAX, PASSWORD_CHARS_MAX } from '../limits.ts'
import { requireAcceptablePassword } from '../operators/check-password.ts'
import type { Credentials } from '../operators/credentials.ts'
import type { Operators } from '../operators/operators.ts'
import { requireOperator } from '../operators/require-operator.ts'
import { requirePassword } from '../operators/require-password.ts'
import type { Sessions } from '../operators/sessions.ts'
import { route, type Route } from '../routing/route.ts'

export interface ProfileRoutesNeeds {
  readonly operators: Operators
  readonly sessions: Sessions
  readonly credentials: Credentials
  readonly clock: Clock
  readonly projectName: string
}

const Password = Type.String({ maxLength: PASSWORD_CHARS_MAX })

/** What operators change about themselves: name, password, second factor, sessions. */
export function profileRoutes(needs: ProfileRoutesNeeds): readonly Route[] {
  return [...accountRoutes(needs), ...secondFactorRoutes(needs)]
}

function accountRoutes(needs: ProfileRoutesNeeds): readonly Route[] {
  const { operators, sessions, credentials } = needs

  return [
    route('PATCH /me', {
      access: 'viewer',
      action: 'change_name',
      body: Type.Object({ name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }) }),
      run: async ({ session, body, note }) => {
        const { operator } = requireOperator(session)
        const name = body.name.trim()
        if (name === '') throw invalidRequest('"name" is empty.')
        note({ target: `operator ${operator.email}`, before: { name: operator.name }, after: { name } })
        await operators.change(operator.id, { name })
      },
    }),
    route('PUT /me/password', {
      access: 'viewer',
      action: 'change_password',
      body: Type.Object({ current: Password, password: Password }),
      run: async ({ session, body, request }) => {
        const { id, operator } = requireOperator(session)
        requireAcceptablePassword(body.password)
        await requirePassword(needs, { id: operator.id, password: body.current, address: request.address })
        await operators.setPassword(operator.id, await credentials.hashPassword(body.password))
        return { endedSessions: await sessions.endOthers(operator.id, id) }
      },
    }),
    route('GET /me/sessions', {
      access: 'viewer',
      run: async ({ session }) => {
        const { id, operator } = requireOperator(session)
        const listed = await sessions.list(operator.id)
        return { sessions: listed.map((one) => ({ ...one, isCurrent: one.id === id })) }
      },
    }),
    route('DELETE /me/sessions', {
      access: 'viewer',
      action: 'end_other_sessions',
      run: async ({ session }) => {
        const { id, operator } = requireOperator(session)
        return { endedSessions: await sessions.endOthers(operator.id, id) }
      },
    }),
  ]
}

function secondFactorRoutes(needs: ProfileRoutesNeeds): readonly Route[] {
  const { operators, sessions, credentials, clock, projectName } = needs
  return [
    route('POST /me/second-factor', {
      access: 'viewer',
      action: 'offer_second_factor',
      body: Type.Object({ password: Password }),
      run: async ({ session, body, request }) => {
        const { operator } = requireOperator(session)
        await requirePassword(needs, { id: operator.id, password: body.password, address: request.address })
        if (operator.hasSecondFactor) throw invalidRequest('Remove the current second factor first.')
        const secret = credentials.createTotpSecret()
        await operators.offerTotp(operator.id, credentials.seal(secret))
        const uri = credentials.totpUri({ secret, issuer: `${projectName} console`, account: operator.email })
        return { secret, uri, qr: encodeQR(uri, 'svg') }
      },
    }),
    route('POST /me/second-factor/confirm', {
      access: 'viewer',
      action: 'add_second_factor',
      body: Type.Object({ code: Type.String({ maxLength: 12 }) }),
      run: async ({ session, body, request }) => {
        const { id, operator } = requireOperator(session)
        await credentials.takeAttempt(request.address, `code ${operator.id}`)
        const { totpSecret, hasSecondFactor } = await operators.getSecrets(operator.id)
        if (totpSecret === null || hasSecondFactor) throw invalidRequest('Start adding a second factor again.')
        const code = body.code.replaceAll(/\s/g, '')
        const secret = credentials.unseal(totpSecret)
        const step = credentials.matchTotp({ secret, code, nowMs: clock.now(), lastUsedStep: undefined })
        if (step === undefined || !(await operators.useTotpStep(operator.id, step))) throw wrongCode()
        return { endedSessions: await sessions.endOthers(operator.id, id) }
      },
    }),
    route('DELETE /me/second-factor', {
      access: 'viewer',
      action: 'remove_second_factor',
      body: Type.Object({ password: Password }),
      run: async ({ session, body, request }) => {
        const { operator } = requireOperator(session)
        await requirePassword(needs, { id: operator.id, password: body.password, address: request.address })
        await operators.removeTotp(operator.id)
      },
    }),
  ]
}
