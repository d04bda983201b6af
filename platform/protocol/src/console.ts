/** What the console and its server exchange. Times are ISO 8601 unless a name says otherwise, sizes are in bytes. */

/** Roles of operators, each with the rights of those before it. */
export const OPERATOR_ROLES = ['viewer', 'developer', 'owner'] as const

export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Returns whether a text names a role. */
export function isOperatorRole(text: string): text is OperatorRole {
  return (OPERATOR_ROLES as readonly string[]).includes(text)
}

/** Returns whether a role includes another one's rights. */
export function includesRole(role: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed)
}

/** An account of the console. */
export interface Operator {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: OperatorRole
  readonly hasSecondFactor: boolean
}

/** `GET /session`. */
export interface ConsoleSession {
  readonly projectName: string
  /** `incomplete`: the second factor is missing. */
  readonly state: 'none' | 'incomplete' | 'complete'
  readonly operator?: Operator
  readonly hasOperators: boolean
}

/** An operator as owners see one. Times in ISO 8601. */
export interface ListedOperator extends Operator {
  readonly createdAt: string
  readonly lastSeenAt: string | null
  readonly isDisabled: boolean
}

/** An invitation as its link shows it. */
export interface Invitation {
  /** `null`: the invited user enters an address. */
  readonly email: string | null
  readonly role: OperatorRole
  /** Whether the link gives an existing operator a new password. */
  readonly isRecovery: boolean
}

/** An invitation as owners see it. */
export interface ListedInvitation {
  readonly email: string | null
  readonly role: OperatorRole
  readonly isRecovery: boolean
  readonly invitedBy: string | null
  readonly expiresAt: string
}

/** A session of an operator. */
export interface ListedSession {
  readonly id: string
  readonly createdAt: string
  readonly usedAt: string
  readonly address: string | null
  readonly userAgent: string | null
}

/** An entry of the audit log. */
export interface ListedAuditEntry {
  readonly id: string
  readonly at: string
  readonly operator: string
  readonly role: string | null
  readonly action: string
  readonly target: string | null
  readonly before: unknown
  readonly after: unknown
  readonly error: string | null
  readonly address: string | null
  readonly requestId: string | null
}

/** State of a part of the server. */
export interface PartHealth {
  readonly name: string
  readonly state: 'ok' | 'preparing' | 'standby' | 'down' | 'off'
  /** What is wrong, and what to do. */
  readonly detail?: string
}

/** Requests of one service per step of time, oldest first. */
export interface ServiceHistory {
  readonly service: string
  readonly requests: readonly number[]
  /** Responses with status 400 to 499. */
  readonly refused: readonly number[]
  /** Responses with status 500 and above. */
  readonly failed: readonly number[]
  /** Mean duration in ms; 0 without requests. */
  readonly meanMs: readonly number[]
}

export interface RequestHistory {
  /** End of the last step in ms since the epoch. */
  readonly untilMs: number
  readonly stepSeconds: number
  readonly services: readonly ServiceHistory[]
}

/** What the first screen shows. Sizes in bytes. Unknown values are missing. */
export interface Overview {
  readonly version: string
  readonly startedAtMs: number
  readonly parts: readonly PartHealth[]
  readonly devices: { readonly connected: number; readonly users: number }
  readonly sync: {
    /** Age of the oldest committed transaction that devices cannot have yet. */
    readonly lagSeconds: number
    readonly uploads: { readonly applied: number; readonly rejected: number; readonly repeated: number }
    readonly slotKeptBytes?: number
    readonly logBytes?: number
  }
  readonly database: {
    readonly version: string
    readonly bytes: number
    readonly connections: number
    readonly connectionsMax: number
  }
  readonly disk?: { readonly freeBytes: number; readonly totalBytes: number }
  readonly memory: { readonly residentBytes: number }
  /** Number of advice by level. */
  readonly advice: { readonly errors: number; readonly warnings: number; readonly infos: number }
  readonly warnings: readonly { readonly message: string; readonly action: string }[]
}

/** A user of the project as listed. */
export interface ListedUser {
  readonly id: string
  readonly email: string | null
  readonly phone: string | null
  readonly name: string | null
  readonly createdAt: string
  readonly lastSignInAt: string | null
  readonly isConfirmed: boolean
  readonly isBanned: boolean
  readonly isAnonymous: boolean
  readonly providers: readonly string[]
  readonly sessions: number
}
