import type { AuthenticationMethod } from '../tokens/claims.ts'
import type { SessionRow } from './session-row.ts'

/** A session as its own person sees it: where from, since when, and how they proved who they are. */
export function renderOwnSession(
  session: SessionRow,
  amr: readonly AuthenticationMethod[],
  isCurrent: boolean,
): Record<string, unknown> {
  return {
    id: session.id,
    created_at: session.created_at.toISOString(),
    refreshed_at: session.refreshed_at?.toISOString() ?? null,
    not_after: session.not_after?.toISOString() ?? null,
    user_agent: session.user_agent,
    ip: session.ip,
    aal: session.aal ?? 'aal1',
    amr,
    oauth_client_id: session.oauth_client_id,
    current: isCurrent,
  }
}
