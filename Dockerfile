# One node. Everything it needs to know comes from the environment: see docs/operations.md.

FROM node:20.20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-stamp.mjs scripts/build-stamp.mjs
COPY src src
COPY demo demo
COPY console console
# A node loads nothing of the client: React and urql are optional there, and the link to its folder would lead nowhere.
RUN npm run build && npm prune --omit=dev --omit=optional && rm node_modules/@parley/client

FROM node:20.20-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
# That it lives, not that it is ready: a node that waits for Redis must not be restarted for it.
HEALTHCHECK --interval=15s --timeout=3s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
