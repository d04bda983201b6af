import { call, rows } from '../_shared/api.ts'

// A database webhook on `findings` calls it: whoever reports something critical has an action for it at once, for the team that looks after the site.

interface Finding {
  readonly id: string
  readonly title: string
  readonly site_id: string
  readonly site: { readonly region: { readonly code: string } }
  readonly inspection: { readonly team_id: string } | null
  readonly actions: readonly unknown[]
}

Deno.serve(async (request) => {
  const { record } = (await request.json()) as { readonly record?: { readonly id?: string } }
  const id = record?.id ?? ''
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))
    return Response.json({ error: 'no finding' }, { status: 400 })
  const select = 'id,title,site_id,site:sites(region:regions(code)),inspection:inspections(team_id),actions(id)'
  const [finding] = await rows<Finding>(`findings?id=eq.${id}&severity=eq.critical&state=eq.open&select=${select}`)
  // The body is only believed to name a row.
  if (!finding || finding.actions.length > 0) return Response.json({ made: false })
  const team = finding.inspection?.team_id ?? (await teamOf(finding.site.region.code))
  if (team === undefined) return Response.json({ made: false })
  // A webhook may arrive twice: the id follows from the finding.
  const answer = await call('/rest/v1/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'resolution=ignore-duplicates' },
    body: JSON.stringify({
      id: await idFor(finding.id),
      finding_id: finding.id,
      site_id: finding.site_id,
      team_id: team,
      title: `Make safe: ${finding.title}`.slice(0, 200),
      priority: 1,
      due_on: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return Response.json({ made: true }, { status: 201 })
})

async function teamOf(area: string): Promise<string | undefined> {
  const [team] = await rows<{ readonly id: string }>(
    `teams?area=eq.${encodeURIComponent(area)}&select=id&order=name&limit=1`,
    'holdfast',
  )
  return team?.id
}

async function idFor(finding: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`critical-finding ${finding}`))
  const bytes = new Uint8Array(digest)
  // RFC 9562, version 8.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
