import { call, rows } from '../_shared/api.ts'

// A job calls it on Mondays: what the week brought, by region, as a file in the bucket `reports`.

const DAY_MS = 86_400_000
/** Anybody may call it: what was just made is not made again. */
const FRESH_MS = 60_000

interface Placed {
  readonly site: { readonly region: { readonly name: string } }
}

interface Line {
  findings: number
  critical: number
  overdue: number
}

Deno.serve(async () => {
  const today = new Date().toISOString().slice(0, 10)
  const path = `weekly/${today}.md`
  const last = await call(`/storage/v1/object/info/reports/${path}`)
  if (last.ok) {
    const { last_modified: modified } = (await last.json()) as { readonly last_modified: string }
    if (Date.now() - Date.parse(modified) < FRESH_MS) return Response.json({ path, made: false })
  } else await last.body?.cancel()

  const place = 'site:sites!inner(region:regions!inner(name))'
  const since = new Date(Date.now() - 7 * DAY_MS).toISOString()
  const [findings, overdue] = await Promise.all([
    rows<Placed & { readonly severity: string }>(`findings?created_at=gte.${since}&select=severity,${place}`),
    rows<Placed>(`actions?due_on=lt.${today}&state=not.in.(verified,dropped)&select=id,${place}`),
  ])
  const lines = new Map<string, Line>()
  const lineOf = ({ site }: Placed): Line => {
    const line = lines.get(site.region.name) ?? { findings: 0, critical: 0, overdue: 0 }
    lines.set(site.region.name, line)
    return line
  }
  for (const finding of findings) {
    const line = lineOf(finding)
    line.findings++
    if (finding.severity === 'critical') line.critical++
  }
  for (const action of overdue) lineOf(action).overdue++

  const stored = await call(`/storage/v1/object/reports/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'text/markdown', 'x-upsert': 'true' },
    body: render(today, lines),
  })
  if (!stored.ok) throw new Error(await stored.text())
  return Response.json({ path, made: true }, { status: 201 })
})

function render(today: string, lines: ReadonlyMap<string, Line>): string {
  const table = [...lines]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([region, { findings, critical, overdue }]) => `| ${region} | ${findings} | ${critical} | ${overdue} |`)
  return [
    `# Northline Water, the week to ${today}`,
    '',
    '| region | new findings | of them critical | overdue actions |',
    '|---|---|---|---|',
    ...table,
    '',
  ].join('\n')
}
