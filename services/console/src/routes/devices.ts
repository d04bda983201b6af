import type { DeviceComparison, DeviceDetails, ListedDevice } from '@holdfast/protocol'
import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { maskDetails, maskDevice } from '../devices/mask-device.ts'
import { deviceNotConnected, deviceUnknown, invalidRequest } from '../errors.ts'
import { PAGE_ROWS, PAGE_ROWS_MAX } from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { route, type Call, type Route } from '../routing/route.ts'
import { findUserIds, readEmails } from '../users/name-users.ts'

type Unnamed<Device> = Omit<Device, 'email'>

/** Position of a device in the list. */
export interface DevicePosition {
  readonly seenAt: string
  readonly userId: string
  readonly clientId: string
}

/** Devices as sync knows them. */
export interface DeviceSources {
  list(filter: {
    readonly state?: 'connected' | 'behind' | 'offline' | undefined
    readonly users?: readonly string[] | undefined
    readonly clientId?: string | undefined
    readonly after?: DevicePosition | undefined
    readonly limit: number
  }): Promise<{ readonly devices: readonly Unnamed<ListedDevice>[]; readonly next?: DevicePosition }>
  read(
    userId: string,
    clientId: string,
  ): Promise<(Omit<DeviceDetails, 'device'> & { readonly device: Unnamed<ListedDevice> }) | undefined>
  /** Ends the device's stream. @returns whether it had one */
  end(userId: string, clientId: string): Promise<boolean>
  /** Makes the device download its rows again. @returns whether it is connected */
  resync(userId: string, clientId: string): Promise<boolean>
  /** @returns `undefined` if it is not connected */
  compare(userId: string, clientId: string, signal: AbortSignal): Promise<DeviceComparison | undefined>
}

export interface DeviceRoutesNeeds {
  /** Reads schema `auth`. */
  readonly pool: Pool
  readonly devices: DeviceSources
}

/** Connected and recently seen devices. Viewers see no addresses and no values of rows. */
export function deviceRoutes(needs: DeviceRoutesNeeds): readonly Route[] {
  return [...readRoutes(needs), ...actionRoutes(needs.devices)]
}

const POSITION = /^([0-9T:.Z-]{20,32}) (.+)$/

function readRoutes({ pool, devices }: DeviceRoutesNeeds): readonly Route[] {
  return [
    route('GET /devices', {
      access: 'viewer',
      query: Type.Object({
        state: Type.Optional(Type.Union([Type.Literal('connected'), Type.Literal('behind'), Type.Literal('offline')])),
        /** Id of a user. */
        user: Type.Optional(Type.String({ maxLength: 255 })),
        /** Id of a device or user; for developers also part of a user's address, name or phone. */
        search: Type.Optional(Type.String({ maxLength: 255 })),
        after: Type.Optional(Type.String({ maxLength: 1_000, pattern: POSITION.source })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
      }),
      run: async ({ query, session }) => {
        const isDeveloper = hasRole(session, 'developer')
        const { state, user, search, after, limit = PAGE_ROWS } = query
        const found = await devices.list({
          state,
          limit,
          ...(user !== undefined && { users: [user] }),
          ...(search && { users: await findUserIds(pool, search, isDeveloper), clientId: search }),
          ...(after !== undefined && { after: readPosition(after) }),
        })
        const named = await withEmails(pool, found.devices)
        return {
          devices: isDeveloper ? named : named.map(maskDevice),
          ...(found.next && { next: writePosition(found.next) }),
        }
      },
    }),
    route('GET /devices/:user/:device', {
      access: 'viewer',
      run: async ({ parameters, session }) => {
        const details = await devices.read(...idsOf(parameters))
        if (!details) throw deviceUnknown()
        const [device] = await withEmails(pool, [details.device])
        if (!device) throw deviceUnknown()
        const named: DeviceDetails = { ...details, device }
        return hasRole(session, 'developer') ? named : maskDetails(named)
      },
    }),
  ]
}

function actionRoutes(devices: DeviceSources): readonly Route[] {
  return [
    route('POST /devices/:user/:device/end', {
      access: 'developer',
      action: 'end_stream',
      run: async ({ parameters, note }) => {
        note({ target: targetOf(parameters) })
        if (!(await devices.end(...idsOf(parameters)))) throw deviceNotConnected()
      },
    }),
    route('POST /devices/:user/:device/resync', {
      access: 'developer',
      action: 'resync_device',
      run: async ({ parameters, note }) => {
        note({ target: targetOf(parameters) })
        if (!(await devices.resync(...idsOf(parameters)))) throw deviceNotConnected()
      },
    }),
    route('POST /devices/:user/:device/compare', {
      access: 'developer',
      action: 'compare_device',
      run: async ({ parameters, request, note }) => {
        note({ target: targetOf(parameters) })
        const comparison = await devices.compare(...idsOf(parameters), request.signal)
        if (!comparison) throw deviceNotConnected()
        note({ after: { equal: comparison.equal } })
        return comparison
      },
    }),
  ]
}

async function withEmails<Device extends Unnamed<ListedDevice>>(
  pool: Pool,
  devices: readonly Device[],
): Promise<readonly (Device & ListedDevice)[]> {
  const emails = await readEmails(
    pool,
    devices.map(({ userId }) => userId),
  )
  return devices.map((device) => ({ ...device, email: emails.get(device.userId) ?? null }))
}

function idsOf({ user = '', device = '' }: Call['parameters']): [string, string] {
  return [user, device]
}

function targetOf({ user = '', device = '' }: Call['parameters']): string {
  return `device ${device} of user ${user}`
}

function writePosition({ seenAt, userId, clientId }: DevicePosition): string {
  return `${seenAt} ${JSON.stringify([userId, clientId])}`
}

/** @throws {HoldfastError} `invalid_request` */
function readPosition(text: string): DevicePosition {
  const [, seenAt = '', ids = ''] = POSITION.exec(text) ?? []
  try {
    const [userId, clientId] = JSON.parse(ids) as unknown[]
    const isValid = typeof userId === 'string' && typeof clientId === 'string' && !Number.isNaN(Date.parse(seenAt))
    if (isValid) return { seenAt, userId, clientId }
  } catch {
    // Refused below.
  }
  throw invalidRequest('"after" is not a position of this list.')
}
