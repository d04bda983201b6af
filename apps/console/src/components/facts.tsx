import type { JSX } from 'react'

/** Named values, in two columns where there is room. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: JSX.Element | string])[]
}): JSX.Element {
  return (
    <dl className="grid grid-cols-1 gap-x-8 gap-y-2 tablet:grid-cols-2">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-3">
          <dt className="w-32 shrink-0 text-muted">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
