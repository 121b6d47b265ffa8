# A worker, or any other command of pragaura: docker run --rm pragaura --help
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run pack && tar -xzf pragaura-*.tgz && npm prune --omit=dev \
  && rm -r node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package ./
USER node
ENTRYPOINT ["node", "/app/dist/main.js"]
