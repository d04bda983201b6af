import { Type } from 'typebox'
import type { Clock } from '@holdfast/foundation'
import { invalidRequest, wrongCode, wrongCredentials } from '../errors.ts'
import { EMAIL_CHARS_MAX, NAME_CHARS_MAX } from '../limits.ts'
import { requireAcceptablePassword } from '../operators/check-password.ts'
import type { Credentials } from '../operators/credentials.ts'
import type { Invitations } from '../operators/invitations.ts'
import type { Operators } from '../operators/operators.ts'
import { requireOperator } from '../operators/require-operator.ts'
import type { Sessions } from '../operators/sessions.ts'
import { answer, route, type Route } from '../routing/route.ts'

export interface SessionRoutesNeeds {
  readonly operators: Operators
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly credentials: Credentials
  readonly clock: Clock
  readonly projectName: string
}

const Key = Type.String({ minLength: 1, maxLength: 100 })
const Password = Type.String({ minLength: 1, maxLength: 200 })
const Email = Type.String({ minLength: 3, maxLength: EMAIL_CHARS_MAX })
const Name = Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX })

/** Sign-in, second factor, sign-out, and the links of invitations. */
export function sessionRoutes(needs: SessionRoutesNeeds): readonly Route[] {
  return [...signInRoutes(needs), ...invitationRoutes(needs)]
}

function signInRoutes({ operators, sessions, credentials, clock, projectName }: SessionRoutesNeeds): readonly Route[] {
  return [
    route('GET /session', {
      access: 'open',
      run: async ({ session }) => ({
        projectName,
        state: session.state,
        ...(session.state !== 'none' && { operator: session.operator }),
        hasOperators: session.state !== 'none' || (await operators.hasAny()),
      }),
    }),
    route('POST /session', {
      access: 'open',
      action: 'sign_in',
      body: Type.Object({ email: Email, password: Password }),
      run: async ({ body, request, note }) => {
        const { address, userAgent } = request
        note({ target: `operator ${body.email}` })
        await credentials.takeAttempt(address, body.email.toLowerCase())
        const known = await operators.findByEmail(body.email)
        const matches = await credentials.verifyPassword(body.password, known?.passwordHash)
        if (!known || !matches) throw wrongCredentials()
        note({ operator: known })
        const isComplete = !known.hasSecondFactor
        const sessionKey = await sessions.create({ operatorId: known.id, isComplete, address, userAgent })
        return answer({ body: { state: isComplete ? 'complete' : 'incomplete' }, sessionKey })
      },
    }),
    route('POST /session/second-factor', {
      access: 'incomplete',
      action: 'second_factor',
      body: Type.Object({ code: Type.String({ maxLength: 12 }) }),
      run: async ({ body, session, request }) => {
        const { id, operator } = requireOperator(session)
        await credentials.takeAttempt(request.address, `code ${operator.id}`)
        const { totpSecret, totpLastStep } = await operators.getSecrets(operator.id)
        const code = body.code.replaceAll(/\s/g, '')
        const step =
          totpSecret === null
            ? undefined
            : credentials.matchTotp({
                secret: credentials.unseal(totpSecret),
                code,
                nowMs: clock.now(),
                lastUsedStep: totpLastStep ?? undefined,
              })
        if (step === undefined || !(await operators.useTotpStep(operator.id, step))) throw wrongCode()
        return answer({ body: { state: 'complete' }, sessionKey: await sessions.complete(id) })
      },
    }),
    route('DELETE /session', {
      access: 'incomplete',
      action: 'sign_out',
      run: async ({ session }) => {
        await sessions.end(requireOperator(session).id)
        return answer({ sessionKey: null })
      },
    }),
  ]
}

function invitationRoutes({ sessions, invitations, credentials }: SessionRoutesNeeds): readonly Route[] {
  return [
    route('POST /invitations/read', {
      access: 'open',
      body: Type.Object({ key: Key }),
      run: ({ body }) => invitations.read(body.key),
    }),
    route('POST /invitations/accept', {
      access: 'open',
      action: 'accept_invitation',
      body: Type.Object({ key: Key, name: Name, email: Type.Optional(Email), password: Password }),
      run: async ({ body, request, note }) => {
        const { address, userAgent } = request
        requireAcceptablePassword(body.password)
        if (body.email !== undefined) requireAddress(body.email)
        const name = body.name.trim()
        if (name === '') throw invalidRequest('"name" is empty.')
        await invitations.read(body.key) // before the cost of a hash
        await credentials.takeAttempt(address, `invitation ${body.key}`)
        const passwordHash = await credentials.hashPassword(body.password)
        const accepted = await invitations.accept({ key: body.key, name, email: body.email?.trim(), passwordHash })
        note({
          operator: accepted,
          target: `operator ${accepted.email}`,
          after: { isRecovery: accepted.isRecovery },
        })
        const sessionKey = await sessions.create({ operatorId: accepted.id, isComplete: true, address, userAgent })
        return answer({ status: 201, body: { state: 'complete' }, sessionKey })
      },
    }),
  ]
}

/** @throws {HoldfastError} `invalid_request` for a text that is no mail address */
export function requireAddress(email: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) throw invalidRequest('"email" is not an email address.')
}
