/** Duration of a request's stages in ms. @see PostgREST reference, "Observability", "Server-Timing Header" */
export type StageTimes = { readonly [S in Stage]?: number | undefined }

const STAGES = ['jwt', 'parse', 'plan', 'transaction', 'response'] as const

export type Stage = (typeof STAGES)[number]

/** Renders `jwt;dur=0.1, parse;dur=0.2, …` for the measured stages in order. */
export function renderServerTiming(times: StageTimes): string {
  return STAGES.flatMap((stage) => {
    const time = times[stage]
    return time === undefined ? [] : [`${stage};dur=${time.toFixed(1)}`]
  }).join(', ')
}

/** Measures consecutive stages. */
export interface StageClock {
  end(stage: Stage): void
  times(): StageTimes
}

export function createStageClock(): StageClock {
  const times: Partial<Record<Stage, number>> = {}
  let last = performance.now()
  return {
    end(stage) {
      const now = performance.now()
      times[stage] = now - last
      last = now
    },
    times: () => times,
  }
}
