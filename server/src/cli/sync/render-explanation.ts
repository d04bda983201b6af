import type { RowExplanation } from '@holdfast/sync'

/** Explains for humans why a user has a row or not. */
export function renderExplanation(user: string, found: RowExplanation): string {
  const { postgres } = found
  const lines = [
    `${user} (${found.user.id}, ${found.user.role}), ${found.table} ${found.id}`,
    found.verdict === 'disagreement'
      ? 'DISAGREEMENT between Postgres and the synced rows'
      : found.verdict === 'has it'
        ? 'This person has the row.'
        : 'This person does not have the row.',
    '',
    ...found.because.map((line) => `  ${line}`),
  ]
  if (postgres.exists) {
    lines.push(
      '',
      `Postgres: ${postgres.visible ? 'shows the row' : 'does not show the row'}${postgres.fails === undefined ? '' : ` (${postgres.fails})`}`,
    )
    for (const { name, permissive, passes, fails } of postgres.policies) {
      const answer = fails === undefined ? String(passes) : `fails: ${fails}`
      lines.push(`  ${permissive ? 'policy' : 'restrictive policy'} "${name}": ${answer}`)
    }
  }
  const buckets = found.definitions.flatMap((one) => one.buckets)
  if (buckets.length > 0) lines.push('', 'Operation log')
  for (const { name, personHas, operation } of buckets) {
    const what = operation
      ? `operation ${operation.opId}, checksum ${operation.checksum}${operation.current ? '' : ', NOT THE ROW AS IT IS'}`
      : 'NO OPERATION'
    lines.push(`  ${personHas ? 'theirs' : 'not theirs'}  ${name}: ${what}`)
  }
  for (const { bucket, opId } of found.stray) lines.push(`  WRONG PLACE  ${bucket}: operation ${opId}`)
  return `${lines.join('\n')}\n`
}
