/** Poll interval in ms for new messages while the page is visible. */
const LOOK_MS = 2_000

/** The page's script: copies codes, formats times in the local time zone, and polls for messages. The page is readable without it. */
export const SCRIPT = `
for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}

for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copies)
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = 'Copied'
    } catch {
      // A browser that does not allow it, or a page without TLS: the person copies what is marked.
      getSelection().selectAllChildren(source)
      button.textContent = 'Copy with Ctrl-C'
    }
  })
}

const { newest, reading } = document.body.dataset
let isLooking = false

async function look() {
  if (document.hidden || isLooking) return
  isLooking = true
  try {
    const answer = await fetch('/mailbox/newest', { signal: AbortSignal.timeout(10_000) })
    if (!answer.ok || (await answer.json()).newest === newest) return
    if (reading === undefined) location.reload()
    else document.querySelector('.new').hidden = false
  } catch {
    // The server is being started again; the next look finds it.
  } finally {
    isLooking = false
  }
}

setInterval(look, ${LOOK_MS})
document.addEventListener('visibilitychange', look)
`
