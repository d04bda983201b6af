// Runs before the first paint so that a fixed theme does not flash. The setting is written by src/lib/appearance.ts.
;(function () {
  try {
    var look = JSON.parse(localStorage.getItem('hf-appearance') || '{}')
    var root = document.documentElement
    if (look.theme === 'light' || look.theme === 'dark') root.dataset.theme = look.theme
    if (look.density) root.dataset.density = look.density
    if (look.motion === 'reduced') root.dataset.motion = 'reduced'
  } catch (error) {
    console.warn('The appearance settings could not be read; the system theme is used.', error)
  }
  try {
    // Whoever is signed in on this device sees the frame of the app at once (index.html).
    if (/^\/($|w(\/|$)|account(\/|$))/.test(location.pathname) && localStorage.getItem('holdfast-auth') !== null)
      document.documentElement.dataset.session = ''
  } catch (error) {
    console.warn('Without storage there is no session to come back to.', error)
  }
})()
