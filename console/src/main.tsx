import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../demo/src/parts/theme.css'
import '../../demo/src/parts/base.css'
import '../../demo/src/parts/controls.css'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
