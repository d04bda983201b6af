import { useEffect, useState } from 'react'

/** Whether what was rendered first has been painted: what is not in sight yet can come after it. */
export function useAfterPaint(): boolean {
  const [isPainted, setPainted] = useState(false)
  // Painting is the browser's.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setPainted(true))))
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  return isPainted
}
