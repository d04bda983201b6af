import type { JSX } from 'react'
import { useOnline } from '../../../../hooks/use-online.ts'
import { mapMessages as words } from '../../../../messages/map.ts'
import { creditsOf } from './credits.ts'
import type { Background } from './use-background.ts'

const NOTE = 'rounded-sm bg-raised/90 px-1.5 py-0.5'

/** Notes on the background: that it is missing, or its attribution. */
export function BackgroundNotes({ background }: { readonly background: Background }): JSX.Element | null {
  if (background.style === undefined) return null
  return (
    <>
      <p role="status">
        <Missing {...background} />
      </p>
      {background.state.phase === 'shown' ? <Credits attributions={background.attributions} /> : null}
    </>
  )
}

function Missing({ state, tryAgain }: Background): JSX.Element | null {
  const isOnline = useOnline()
  const isGone = state.phase === 'missing'
  if (!isGone && !(state.phase === 'shown' && state.hasFailed)) return null
  return (
    <span className={`${NOTE} pointer-events-auto inline-block`}>
      {isGone ? (isOnline ? words.noBackground : words.noBackgroundOffline) : words.backgroundHasGaps}
      {isOnline ? (
        <>
          {' '}
          <button
            type="button"
            onClick={tryAgain}
            className="rounded-sm font-medium text-accent underline underline-offset-2 coarse:min-h-11"
          >
            {state.isForbidden ? words.loadAgain : words.tryAgain}
          </button>
        </>
      ) : null}
    </span>
  )
}

/** The attribution, which map data licences require on the map itself. */
function Credits({ attributions }: { readonly attributions: readonly string[] }): JSX.Element | null {
  const credits = creditsOf(attributions)
  if (credits.length === 0) return null
  return (
    <p className={`${NOTE} text-muted`}>
      <span className="sr-only">{words.credits} </span>
      {credits.map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they have no other name, and stay in their order
        <span key={index}>
          {index > 0 ? ' · ' : ''}
          {one.map(({ text, href }, at) =>
            href === undefined ? (
              text
            ) : (
              <a
                // oxlint-disable-next-line react/no-array-index-key -- the same
                key={at}
                href={href}
                target="_blank"
                rel="noreferrer"
                className="pointer-events-auto rounded-sm underline underline-offset-2 hover:text-text"
              >
                {text}
              </a>
            ),
          )}
        </span>
      ))}
    </p>
  )
}
