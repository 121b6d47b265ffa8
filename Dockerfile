# A worker, or any other command of pragaura: docker run --rm pragaura --help
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/scorers/models ./scorers/models
COPY --from=build /app/profiles/data ./profiles/data
COPY --from=build /app/router/acts/model ./router/acts/model
COPY --from=build /app/router/decision/planner/model ./router/decision/planner/model
COPY --from=build /app/router/demo ./router/demo
COPY --from=build /app/bench/repro ./bench/repro
COPY --from=build /app/bench/documents ./bench/documents
USER node
ENTRYPOINT ["node", "/app/dist/main.js"]
